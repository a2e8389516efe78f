"""Take the pictures of the documents anew, on light paper and on dark: python -m tests.browser.pictures [name ...]"""

import re
import sys
from io import BytesIO
from itertools import product
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.bench.server import Server
from tests.bench.timing import ROOT
from tests.browser.chromium import FLAGS, find
from tests.browser.screen import settle, visit

FOLDER = ROOT / ".github" / "docs"


class View(NamedTuple):
    """What a picture shows: a link, and how much of the page from where on, in pixels."""

    link: str
    width: int = 1200
    height: int = 820
    top: int = 62  # the bar of Streamlit is left out


LOOP = "loop"  # the one picture that moves
LOOP_VIEW = View("/qkv?qkv_step=it&qkv_q=warm&embed=true", 960, 860, 108)
POINTER = """([x, y]) => {
    const ring = document.querySelector('#ring') ?? document.body.appendChild(document.createElement('div'))
    ring.id = 'ring'
    ring.style = `position:fixed;left:${x - 13}px;top:${y - 13}px;width:26px;height:26px;border-radius:50%;z-index:9;
        box-sizing:border-box;border:3px solid #e0609c;pointer-events:none`
}"""
AHEAD, READ = 700, 2200  # milliseconds: where the pointer goes, and what comes of it

VIEWS = {
    "qkv": View("/qkv?qkv_step=softmax&qkv_ask=no", 1280, 1000, 0),
    "scaling": View("/scaling?scaling_step=gradient&scaling_ask=no&embed=true"),
    "multi_head": View("/multi_head?multi_head_step=heads&multi_head_weights=hand-made&multi_head_ask=no&embed=true"),
    "causal_mask": View("/causal_mask?causal_mask_step=laboratory&causal_mask_ask=no&embed=true", height=1000),
    "positional_encoding": View(
        "/positional_encoding?positional_encoding_step=clocks&positional_encoding_ask=no&embed=true"
    ),
    "tiny_lm": View("/tiny_lm?tiny_lm_step=bet&tiny_lm_new=7&tiny_lm_ask=no&embed=true"),
}


def screenshot(page: Page, view: View) -> Image.Image:
    clip = {"x": 0, "y": view.top, "width": view.width, "height": view.height}
    return Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB")


def moving_picture(page: Page) -> bytes:
    """Return what a student sees who taps a word."""
    visit(page, LOOP_VIEW.link)
    frames, milliseconds = [screenshot(page, LOOP_VIEW)], [AHEAD * 2]
    box = page.locator(".word", has_text=re.compile("^it$")).bounding_box()
    at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    page.evaluate(POINTER, at)
    frames.append(screenshot(page, LOOP_VIEW))
    page.mouse.click(*at)
    page.mouse.move(0, 0)  # no tooltip
    settle(page)
    frames.append(screenshot(page, LOOP_VIEW))
    milliseconds += AHEAD, READ
    file = BytesIO()
    frames[0].save(file, "WEBP", save_all=True, append_images=frames[1:], duration=milliseconds, loop=0, quality=88)
    return file.getvalue()


def picture(page: Page, view: View) -> bytes:
    visit(page, view.link)
    page.mouse.move(0, 0)
    image, file = screenshot(page, view), BytesIO()
    few = image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)  # a third of the weight
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def main(names: list[str]) -> None:
    """Take the pictures of these names, or all."""
    with (
        Server() as server,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=find(), args=FLAGS) as browser,
    ):
        for name, paper in product(names or [*VIEWS, LOOP], ("light", "dark")):
            view, ending = (LOOP_VIEW, "webp") if name == LOOP else (VIEWS[name], "png")
            size = {"width": view.width, "height": view.top + view.height}
            with browser.new_context(base_url=server.url, viewport=size, color_scheme=paper) as context:
                context.set_default_timeout(120_000)
                page = context.new_page()
                content = moving_picture(page) if name == LOOP else picture(page, view)
            file = FOLDER / f"{name}-{paper}.{ending}"
            file.write_bytes(content)
            print(f"{file.name}  {len(content) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
