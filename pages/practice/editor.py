"""An editor for a few lines of Python: line numbers, colours, Tab, undo, and Ctrl or Cmd with Enter to run.

The colours lie behind the field, whose own letters are transparent. What is typed stays in the browser's tab until
Python receives it, so that a rerun, another page, a broken connection or a reload lose nothing.
"""

from pathlib import Path

import streamlit as st

from pages.look.modules import assets

HTML = """
<label class="name" for="text"></label>
<div class="frame"><pre class="lines" aria-hidden="true"></pre>
<div class="page"><pre class="paint" aria-hidden="true"></pre>
<textarea id="text" spellcheck="false" autocomplete="off" autocapitalize="off" autocorrect="off" wrap="off"
 maxlength="20000"></textarea>
</div></div>
<div class="hint">Tab indents and Shift+Tab unindents. Escape, then Tab leaves the field. Ctrl+Enter runs it.</div>
"""
EDITOR = st.components.v2.component("attention_editor", **assets(Path(__file__).with_suffix(".js"), HTML))


def editor(name: str, label: str, text: str, version: int, key: str) -> None:
    """Draw the editor. Under its key the session has its `text`, and as `run` the last text to run and when.

    A higher `version` replaces what was typed.
    """
    data = {"name": name, "label": label, "text": text, "version": version}
    EDITOR(key=key, data=data, on_text_change=lambda: None, on_run_change=lambda: None)
