"""Every script is a module whose imports are there, and a component's is what Streamlit calls."""

from pages.look.modules import joined
from tests.bench.timing import ROOT

SITE = "http://course.test/"
JOINED = """async (text) => {
    const { default: component } = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })))
    return typeof component
}"""


def test_every_module_finds_what_it_imports_and_every_component_is_a_function(browser):
    page = browser.new_page()
    page.route(SITE + "*", lambda route: route.fulfill(body="<body></body>", content_type="text/html"))
    page.route(
        SITE + "pages/**",
        lambda route: route.fulfill(
            body=(ROOT / route.request.url.removeprefix(SITE)).read_text(encoding="utf-8"),
            content_type="text/javascript",
        ),
    )
    page.goto(SITE)
    exports = {}
    for script in sorted((ROOT / "pages").rglob("*.js")):
        url = SITE + script.relative_to(ROOT).as_posix()
        exports[script] = page.evaluate("async url => Object.keys(await import(url))", url)
    components = [script for script, names in exports.items() if "default" in names]
    assert len(components) == 12
    assert {page.evaluate(JOINED, joined(script)) for script in components} == {"function"}
    page.close()
