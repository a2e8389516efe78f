"""Pictures that are HTML: what is dark, long or lit in them is what their numbers and their lesson say."""

import re

import numpy as np

from pages.links.course import LESSONS
from pages.look.style import LEVELS
from pages.look.thumbnails import bars, thumbnail
from pages.look.transformer import transformer


def test_a_cell_is_as_dark_as_its_number():
    darkest, middle = LEVELS - 1, (LEVELS - 1) / 2
    signed = thumbnail(np.array([[-2.0, 0.0], [2.0, -np.inf]]), 2.0)
    least, zero, most, masked = re.findall('class="(?:s)?([a-z]*\\d*)"></i>', signed)
    assert (int(least), int(most), masked) == (0, darkest, "masked")
    assert abs(int(zero) - middle) <= 0.5
    assert re.findall(r'"w(\d+)"', thumbnail(np.array([[0.0, 1.0]]), None)) == ["0", str(darkest)]


def test_bars_stand_on_the_ground_and_are_as_high_as_their_shares():
    shown = bars([0, 0.25, 1.0]) > 0
    assert shown.sum(axis=0).tolist() == [0, 2, 8]
    assert (shown[:-1] <= shown[1:]).all()


def test_each_lesson_lights_parts_of_its_own_of_one_transformer():
    pictures = {lesson.name: str(transformer(lesson.name)) for lesson in LESSONS}
    lessons = "|".join(pictures)
    assert len({re.sub(f' (lit|{lessons})"', '"', picture) for picture in pictures.values()}) == 1
    tags = {name: re.findall("<[a-z][^>]*>", one) for name, one in pictures.items()}
    lit = {name: [" lit" in tag or '"lit"' in tag for tag in found] for name, found in tags.items()}
    assert all(map(any, lit.values()))
    assert max(map(sum, zip(*lit.values(), strict=True))) == 1
    for name, part in {"causal_mask": "mask", "scaling": "÷ √d", "multi_head": "heads", "qkv": "softmax"}.items():
        assert f"{part}" in "".join(re.findall(r'<g class="part lit">.*?</g>', pictures[name]))
    assert 'class="head lit"' in pictures["multi_head"]
