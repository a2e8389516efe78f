"""The course: its pages in order, and what the menu and the map of lessons say of each."""

from typing import NamedTuple

COURSE = "Attention, from scratch"
HOME = "home"


class Lesson(NamedTuple):
    """One lesson: the prefix of its keys in a link, its file, and how it is announced."""

    name: str
    file: str
    title: str
    icon: str
    minutes: int
    promise: str  # what a student does in it
    questions: tuple[str, ...]  # the names of what it asks


LESSONS = (
    Lesson(
        "qkv",
        "pages/1_qkv.py",
        "Q/K/V",
        ":material/join_inner:",
        30,
        "Follow one sentence from word vectors to attention weights and outputs. Click any number to see how it arose.",
        ("shape", "cell", "scale", "ratio", "shift", "mirror", "reach"),
    ),
    Lesson(
        "scaling",
        "pages/2_scaling.py",
        "Scaling",
        ":material/straighten:",
        35,
        "Drag d_k until a row of attention collapses, find the divisor that prevents it, and train a head both ways.",
        (
            "row",
            "variance",
            "grows",
            "more",
            "nudge",
            "learns",
            *(f"claim_{name}" for name in ("falls", "sharp", "flat", "rises")),
            "d_v",
            "two",
            "constant",
        ),
    ),
    Lesson(
        "multi_head",
        "pages/3_multi_head.py",
        "Multi-Head",
        ":material/view_module:",
        30,
        "Compare several heads at once, see what each reads and writes, switch them off, and remove keys.",
        ("job", "split", "reads", "sum", "missed", "numbers", "rectangle"),
    ),
    Lesson(
        "causal_mask",
        "pages/4_causal_mask.py",
        "Causal Mask",
        ":material/stairs:",
        30,
        "See a model cheat without a mask, mask words in four ways, change a word, and paint a mask.",
        (
            "examples",
            "twin",
            "count",
            "blocked",
            "multiplied",
            "sums",
            "leak",
            "reach",
            "first",
            "layers",
            "shuffle",
            "swap",
        ),
    ),
    Lesson(
        "positional_encoding",
        "pages/5_positional_encoding.py",
        "Positional Encoding",
        ":material/waves:",
        35,
        "Shuffle the words, watch positions rotate like clock hands, and find famous bugs with four checks.",
        ("order", "drown", "wavelength", "own_product", "back", "same_score", "stay", "meter"),
    ),
    Lesson(
        "tiny_lm",
        "pages/6_tiny_lm.py",
        "Tiny LM",
        ":material/text_fields:",
        110,
        "Merge bytes into tokens, watch a tiny language model (LM) predict, train one yourself, and look inside it.",
        (
            *("space", "next_merge"),
            "bet",
            *("pick", "hotter", "top_p", "nucleus", "top_k", "surprise"),
            *("anew", "kept", "used", "query", "unmasked", "ahead"),
            *("examples", "passes", "hesitation", "rows", "descent", "direction"),
            "start",
            *("way", "ladder", "twin", "copy", "off", "writer", "bench", "grown", "even", "one_job"),
            *("lens", "push", "missed", "written", "whose", "norm", "silent", "left_out"),
            *("matrices", "largest", "memory", "carried"),
        ),
    ),
)
CONTROLS = {  # the words that links of a page may say, each for a control
    HOME: "head heads length seed text weights width",
    "qkv": "a amount angle ask asks b cat change change_by change_column change_row closer d d_k d_model d_v exercise "
    "experiment head job k mat matrix own_words q same sat seed step temperature text times weights",
    "scaling": "add amount ask claim collapse_d_k collapse_divide constant_d_k constant_k constant_q d_v d_v_d_k "
    "divided draw draws entropy_d_k entropy_divide exercise experiment gradient_d_k gradient_divide gradient_q "
    "largest_d_k largest_divide length overflow_d_k overflow_q own_words rate scores_d_k scores_divide scores_k "
    "scores_q seed spread_d_k spread_divide step subtract times train_d_k train_step up",
    "multi_head": "arcs ask causal change_by change_column change_row crosses cuts d d_model exercise first gone head "
    "heads job k measure off own_heads own_width own_words plus_x q reads second seed show step text w_o way weights "
    "without",
    "causal_mask": "ask at bits block changed closer cut exercise form head job k layer layers mask new order "
    "own_words padding paint pattern prefix q row_has rows seed shuffle size step swap text weights window with word",
    "positional_encoding": "add_strength ago ago_row alike_kind alike_whose answers ask asks base d_model dimension "
    "example exercise first from_place here k k_at kind length mistake offset order_kind other own_words placed "
    "position q q_at rotates rows second seed sharp shuffle slide start step steps strength table_kind table_whose "
    "terms_strength text told waves_base word",
    "tiny_lm": "across adds again against array array_column array_row ask at base batch bench_way bits block "
    "block_look block_seed blocks blocks_of copy_look corpus cut d d_model decile decision deviation drawn encoding "
    "encoding_scale erase eta example exercise fresh from greedy h head heads heads_look hidden into job k layer "
    "layers learn length lens less letters look mask merges model n n_drawn n_layers new no_residual norm nudge off "
    "order other own_words part passes pattern penalty positions prompt q rate real real_at real_head real_layer "
    "real_look real_pattern rival row row_order scale seed sentence shift sizes slopes spot steer_at step steps story "
    "stream strength temperature text time_look times token top_k top_p train_seed travel twin typed unit up verse "
    "vocabulary w watch way_row way_step when which width without word written",
}
HIDEABLE = ("code", "keep", "presets", "practice", "reset", "share", "strip", "walk")  # parts of a page
OWN = ("lock", "hide")  # words of a link that are no controls
ENTRY = "streamlit_app.py"
PLAN = "plan"  # the word in the link of the home page for the views that a teacher chose, in order


def with_course(title: str) -> str:
    """Return the title of a page as it stands elsewhere, as in a mail; the home page is called as the course is."""
    return title if title == COURSE else f"{title} · {COURSE}"


def controls_of(page: str) -> frozenset[str]:
    """Return the names of a page's controls."""
    return frozenset(CONTROLS[page].split())


def of_page(words: dict[str, str], page: str) -> dict[str, str]:
    """Return the query parameters that belong to a page."""
    names = controls_of(page).union(OWN)
    return {key: value for key, value in words.items() if key.startswith(f"{page}_") and key[len(page) + 1 :] in names}
