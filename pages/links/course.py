"""The course: its pages in order, and what the menu and the map of lessons say of each."""

from typing import NamedTuple

COURSE = "Attention, from scratch"
HOME, TEACH = "home", "teach"


class Lesson(NamedTuple):
    """One lesson: the prefix of its keys in a link, its file, and how it is announced."""

    name: str
    file: str
    title: str
    icon: str
    minutes: int
    promise: str  # what a student does in it
    questions: tuple[str, ...]  # the names of the questions on its path
    deeper: tuple[str, ...] = ()  # the names of the questions off the path
    has_sentence: bool = True  # the menu carries a sentence from lesson to lesson
    parts: tuple[tuple[str, int], ...] = ()  # of a lesson that takes several evenings: their names and minutes


LESSONS = (
    Lesson(
        "qkv",
        "pages/1_qkv.py",
        "Q/K/V",
        ":material/join_inner:",
        20,
        "Follow one sentence from word vectors to attention weights and outputs. Click numbers to see how they arose.",
        (
            *("twins", "shape", "best_key", "ratio", "reach", "now_score", "now_raised"),
            *(f"explain_{name}" for name in ("query", "score", "weight", "output", "swap")),
        ),
        ("mirror", "shift"),
    ),
    Lesson(
        "scaling",
        "pages/2_scaling.py",
        "Scaling",
        ":material/straighten:",
        20,
        "Drag d_k until a row of attention collapses, find the divisor that prevents it, and train a head both ways.",
        (
            *("row", "middle", "variance", "learns", "nudge", "now_spread", "now_divisor"),
            *(f"explain_{name}" for name in ("spread", "collapse", "gradient", "root", "width")),
        ),
        (*(f"claim_{name}" for name in ("falls", "sharp", "flat", "rises")), "two"),
        has_sentence=False,
    ),
    Lesson(
        "multi_head",
        "pages/3_multi_head.py",
        "Multi-Head",
        ":material/view_module:",
        15,
        "Switch heads off and see the next word change; see what each head reads and writes, and remove keys.",
        (
            *("needed", "reads", "sum", "missed", "now_read", "now_written"),
            *(f"explain_{name}" for name in ("read", "concat", "mix", "cost")),
        ),
        ("job", "split", "numbers", "rectangle"),
    ),
    Lesson(
        "causal_mask",
        "pages/4_causal_mask.py",
        "Causal Mask",
        ":material/stairs:",
        25,
        "See a model cheat without a mask, mask words in five ways, change a word, and paint a mask.",
        (
            *("examples", "twin", "filled", "multiplied", "sums", "leak", "now_weight", "now_copy"),
            *(f"explain_{name}" for name in ("reads", "where", "parallel", "layers")),
        ),
        ("inverted", "reach", "shuffle"),
    ),
    Lesson(
        "positional_encoding",
        "pages/5_positional_encoding.py",
        "Positional Encoding",
        ":material/waves:",
        25,
        "Put words in another order, watch positions rotate like clock hands, and find famous bugs with four checks.",
        (
            *("order", "drown", "wavelength", "turn", "same_score", "beyond", "now_order", "now_turn"),
            *(f"explain_{name}" for name in ("order", "added", "rope", "distance", "values")),
        ),
        ("own_product", "meter", "stay"),
    ),
    Lesson(
        "tiny_lm",
        "pages/6_tiny_lm.py",
        "Tiny LM",
        ":material/text_fields:",
        50,
        "Merge bytes into tokens, watch a tiny language model (LM) predict, train one yourself, and look inside it.",
        (
            *("space", "alone", "pick", "now_used", "now_kept"),
            *(f"explain_{name}" for name in ("reads", "heat", "keys", "kept")),
            *("least_likely", "way", "now_start", "now_stop"),
            *(f"explain_{name}" for name in ("examples", "loss", "step", "memory")),
            *("copy", "carries", "lens", "kite", "now_needed", "now_null"),
            *(f"explain_{name}" for name in ("before", "key", "rest", "copies")),
        ),
        (
            "caches",
            "direction",
            *(f"claim_{name}" for name in ("scores", "previous", "sink", "it", "copying", "growth", "lens", "parts")),
        ),
        parts=(("Writes", 20), ("Learns", 10), ("Looks inside", 20)),
    ),
)
LATER = "later"  # a mark in a link: the end of a path is asked a day later
EVERYWHERE = f"step ask exercise own_words own_width own_heads quiz {LATER}"  # words of a link that every lesson knows
NUMBERS = "numbers"  # as a lock it locks all controls of a page but those of WALKING
WALKING = frozenset(["step", "ask", "exercise", "quiz", "q", "k"])
HIDEABLE = ("code", "keep", "presets", "practice", "reset", "share", "strip", "walk")  # parts of a page
ENTRY, TEACHING = "streamlit_app.py", "pages/teach.py"
CONSOLE = "console"  # the word in the link of the home page that makes it the screen of a class's teacher alone
PLAN = "plan"  # a word in links of the home page and of Teach: the views that a teacher chose, in order


def with_course(title: str) -> str:
    """Return the title of a page as it stands elsewhere, as in a mail; the home page is called as the course is."""
    return title if title == COURSE else f"{title} · {COURSE}"
