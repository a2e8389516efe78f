"""The questions of the lesson are those that the course counts."""

from pages.page.links.course import LESSONS
from tests.app.steps import step

VIEWS = {
    "train": [{}],
    "time": [{}, {"time_look": "ablations"}],
    "copy": [{}, {"copy_look": "ablation"}],
    "why": [{}],
    "bench": [{}],
    "heads": [{}, {"heads_look": "examples"}],
    "parts": [{}],
    "stream": [{"stream": "additions"}, {"stream": "contributions"}, {"stream": "LayerNorm"}, {"stream": "ablation"}],
    "lens": [{"lens": "layer by layer"}, {"lens": "logit contributions"}, {"lens": "ablation"}],
}


def test_what_these_steps_ask_is_counted():
    (lesson,) = [lesson for lesson in LESSONS if lesson.name == "tiny_lm"]
    asked = [
        question.name
        for name, links in VIEWS.items()
        for link in links
        for question in step("tiny_lm", name, **link).page.asked
    ]
    asked += [
        question.name for question in step("tiny_lm", "stream", stream="MLP", model="King James Bible").page.asked
    ]
    assert len(asked) == len(set(asked)) == 21
    assert set(asked) <= set(lesson.questions)
