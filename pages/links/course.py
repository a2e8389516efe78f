"""The course: its pages in order, and what the menu and the map of lessons say of each."""

from typing import Any, NamedTuple

from attention_core.data_files import read_table

COURSE = "Attention, from scratch"
HOME, TEACH = "home", "teach"


class Evening(NamedTuple):
    """A part of a long lesson, an evening’s work, as it is announced."""

    title: str
    step: str  # its first one
    minutes: int
    promise: str
    questions: dict[str, str]


class Lesson(NamedTuple):
    """One lesson: the prefix of its keys in a link, its file, and how it is announced."""

    name: str
    file: str
    title: str
    icon: str
    minutes: int
    promise: str  # what a student does in it
    questions: dict[str, str]  # the names of the questions on its path, each with the step that asks it
    deeper: tuple[str, ...]  # the names of the questions off the path
    parts: tuple[Evening, ...] = ()  # of a lesson that takes several evenings

    @property
    def evenings(self) -> tuple[Evening, ...]:
        """The parts, or the whole lesson as one without a name."""
        return self.parts or (Evening("", "", self.minutes, self.promise, self.questions),)


def lesson_in(said: dict[str, Any]) -> Lesson:
    parts = tuple(Evening(**part | {"questions": questions_in(part)}) for part in said.get("parts", ()))
    questions = {name: step for part in (said, *said.get("parts", ())) for name, step in questions_in(part).items()}
    return Lesson(**said | {"questions": questions, "deeper": tuple(said["deeper"].split()), "parts": parts})


def questions_in(said: dict[str, Any]) -> dict[str, str]:
    return {name: step for step, names in said.get("questions", {}).items() for name in names.split()}


LESSONS = tuple(map(lesson_in, read_table(__file__)["lesson"]))
EXAMPLES: dict[str, dict[str, dict[str, Any]]] = read_table(__file__, "examples")
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
