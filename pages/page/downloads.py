"""What a student can keep of a view: the code that just ran, the view as files, a picture as file or table."""

import inspect
from collections.abc import Callable, Sequence

import streamlit as st
from markupsafe import Markup

from pages.charts.chart import Chart
from pages.links.course import COURSE, with_course
from pages.page.canvas import Drawing
from pages.page.fields.controls import Controls
from pages.reproduce import files
from pages.reproduce.program import InView, program
from pages.reproduce.recipe import Recipe
from pages.reproduce.script import notebook, script

KINDS = {  # of files, by the end of their names
    **{"py": "text/x-python", "ipynb": "application/json", "npz": "application/zip", "html": "text/html"},
    **{"png": "image/png", "svg": "image/svg+xml", "csv": "text/csv"},
}
FOOTER = Markup("{}. Sliders, and pictures that answer the pointer, are on the page itself: {}")


def show_code(page: str, recipe: Recipe, number: InView | None) -> None:
    """Show a program that computes the number in view, and on demand the source of a function that was called."""
    key = f"{page}_code"
    with st.expander("Code behind this view", icon=":material/code:", key=key, on_change="rerun") as expander:
        if not expander.open:
            return
        if text := program(recipe, number):
            st.code(text, language="python", wrap_lines=True)
        else:
            st.markdown("This number needs data that is too long to show here. The script in “Download” contains it.")
        functions = {function.__name__: function for function in recipe.called}
        name = st.selectbox("Source of", list(functions), None, placeholder="a function", key=f"{page}_source")
        if name in functions:
            path = functions[name].__module__.replace(".", "/") + ".py"
            st.code(f"# {path}\n{inspect.getsource(functions[name])}", language="python", wrap_lines=True)


def offer_files(title: str, controls: Controls, view: Drawing) -> None:
    """Offer the view as files, each made when its button is pressed."""
    page, recipe = controls.page, view.recipe
    key = f"{page}_keep"
    with st.expander("Download", icon=":material/download:", key=key, on_change="rerun") as expander:
        if not expander.open:
            return
        link, shown = controls.link(), [*view.title, *view.shown]
        st.markdown(
            "The whole view, as a script that computes it again with NumPy alone, as arrays, or as one page to open."
        )
        own = recipe, with_course(title), link, view.weights
        with st.container(horizontal=True):
            download(controls, "Script", lambda: script(*own), "py")
            download(controls, "Notebook", lambda: notebook(*own), "ipynb")
            download(controls, "Arrays", lambda: files.npz(recipe.arrays()), "npz")
            offer_page("Page", title, controls, shown)
        if charts := [block for block in shown if isinstance(block, Chart)]:
            offer_picture(controls, charts)


def offer_page(label: str, title: str, controls: Controls, blocks: Sequence[Markup | Chart]) -> None:
    """Offer what was shown as one page that opens offline."""
    title, footer = with_course(title), FOOTER.format(COURSE, controls.link())
    download(controls, label, lambda: files.document(title, blocks, footer), "html")


def offer_picture(controls: Controls, charts: Sequence[Chart]) -> None:
    page = controls.page
    names = [chart.name for chart in charts]
    name = st.selectbox("One chart, as a file or table", names, key=f"{page}_keep_chart")
    chart = charts[names.index(name)] if name in names else charts[0]
    with st.container(horizontal=True):
        download(controls, "PNG", lambda: files.png(chart), "png", chart.name)
        download(controls, "SVG", lambda: files.svg(chart), "svg", chart.name)
        download(controls, "CSV", lambda: files.csv(chart), "csv", chart.name)
    st.dataframe(files.table(chart), hide_index=True, height=240)  # Streamlit offers it as a file too


def download(controls: Controls, label: str, make: Callable[[], str | bytes], ending: str, chart: str = "") -> None:
    step = controls.known["step"].value if "step" in controls.known else ""
    name = "-".join(filter(None, ("attention", controls.page, step, chart.replace(" ", "-"))))
    key, kind = f"{controls.page}_keep_{ending}", KINDS[ending]
    st.download_button(label, make, f"{name}.{ending}", kind, key=key, on_click="ignore")
