"""Take the pictures of the README anew, on light paper and on dark: python -m tests.browser.pictures [name ...]"""

import sys
from io import BytesIO
from itertools import product
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.bench.server import Server
from tests.bench.timing import ROOT
from tests.browser.chromium import FLAGS, find
from tests.browser.screen import visit

FOLDER = ROOT / ".github" / "docs"


class View(NamedTuple):
    """What a picture shows: a link, and how much of the page from where on, in pixels."""

    link: str
    width: int = 1200
    height: int = 820
    top: int = 62  # the bar of Streamlit is left out


VIEWS = {
    "home": View("/", 1280, 800, 0),
    "it": View("/qkv", 1280, 1000, 0),
    "qkv": View("/qkv?qkv_step=softmax&qkv_ask=no", 1280, 1000, 0),
    "scaling": View("/scaling?scaling_step=gradient&scaling_ask=no&embed=true"),
    "multi_head": View("/multi_head?multi_head_weights=hand-made&multi_head_ask=no&embed=true"),
    "causal_mask": View("/causal_mask?causal_mask_step=laboratory&causal_mask_ask=no&embed=true", top=344),
    "positional_encoding": View(
        "/positional_encoding?positional_encoding_step=clocks&positional_encoding_ask=no&embed=true"
    ),
    "tiny_lm": View("/tiny_lm?tiny_lm_new=7&tiny_lm_ask=no&embed=true", top=320),
}


def picture(page: Page, view: View) -> bytes:
    visit(page, view.link)
    page.mouse.move(0, 0)
    clip = {"x": 0, "y": view.top, "width": view.width, "height": view.height}
    image, file = Image.open(BytesIO(page.screenshot(clip=clip))).convert("RGB"), BytesIO()
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
        for name, paper in product(names or VIEWS, ("light", "dark")):
            view = VIEWS[name]
            size = {"width": view.width, "height": view.top + view.height}
            with browser.new_context(base_url=server.url, viewport=size, color_scheme=paper) as context:
                context.set_default_timeout(120_000)
                content = picture(context.new_page(), view)
            (FOLDER / f"{name}-{paper}.png").write_bytes(content)
            print(f"{name}-{paper}.png  {len(content) / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
