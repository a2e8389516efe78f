"""An editor for a few lines of Python: line numbers, Tab, undo, and Ctrl or Cmd with Enter to run.

What is typed stays in the tab of the browser until Python hears of it, so that a new run of the page, another page, a
broken connection or a reload lose nothing.
"""

import streamlit as st

HTML = """
<label class="name" for="text"></label>
<div class="frame"><pre class="lines" aria-hidden="true"></pre>
<textarea id="text" spellcheck="false" autocomplete="off" autocapitalize="off" autocorrect="off" wrap="off"></textarea>
</div>
<div class="hint">Tab indents, Shift+Tab unindents; Escape and then Tab leaves the field. Ctrl+Enter runs.</div>
"""
CSS = """
.name{display:block;font-size:.875rem;margin-bottom:4px}
.frame{display:flex;border:1px solid var(--st-border-color);border-radius:var(--st-base-radius);overflow:hidden;
background:var(--st-code-background-color);color:var(--st-text-color);font:400 .875rem/1.5 var(--st-code-font)}
.frame:focus-within{outline:2px solid var(--st-primary-color);outline-offset:1px}
.lines,textarea{margin:0;padding:10px 0;font:inherit;tab-size:4}
.lines{padding-left:8px;padding-right:8px;text-align:right;opacity:.65;user-select:none;min-width:1.6em;overflow:hidden}
textarea{flex:1;min-width:0;padding-left:8px;padding-right:8px;border:0;outline:0;resize:none;background:none;
color:inherit;white-space:pre;overflow-x:auto;overflow-y:hidden}
.hint{font-size:.8125rem;opacity:.8;margin-top:4px}
"""
JS = """
const editors = new WeakMap()

function wire(root, send, run) {
  const area = root.querySelector("textarea"), lines = root.querySelector(".lines")
  const own = { area, version: null, place: null, timer: 0, send, run, left: false }
  own.fit = () => {
    const count = area.value.split("\\n").length
    lines.textContent = Array.from({ length: count }, (_, i) => i + 1).join("\\n")
    area.style.height = "auto"
    area.style.height = area.scrollHeight + "px"
  }
  own.keep = () => {
    try { sessionStorage.setItem(own.place, area.value) } catch { /* a browser may forbid it */ }
  }
  own.tell = () => { clearTimeout(own.timer); own.send(area.value) }
  const type = (text) => {  // this way the browser can undo it
    const done = document.execCommand("insertText", false, text)
    if (!done) area.setRangeText(text, area.selectionStart, area.selectionEnd, "end")
    area.dispatchEvent(new Event("input"))
  }
  area.oninput = () => {
    own.fit(); own.keep()
    clearTimeout(own.timer)
    own.timer = setTimeout(own.tell, 600)
  }
  area.onblur = () => own.tell()
  area.onkeydown = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault(); event.stopPropagation()
      clearTimeout(own.timer)
      own.run(area.value)
    } else if (event.key === "Escape") {
      own.left = true
      return
    } else if (event.key === "Tab" && !own.left) {
      event.preventDefault()
      const start = area.value.lastIndexOf("\\n", area.selectionStart - 1) + 1
      const many = area.value.slice(area.selectionStart, area.selectionEnd).includes("\\n")
      if (!event.shiftKey && !many) { type("    "); return }
      const end = area.selectionEnd
      const block = area.value.slice(start, end).split("\\n")
      const moved = block.map((line) => event.shiftKey ? line.replace(/^ {1,4}/, "") : "    " + line).join("\\n")
      area.setSelectionRange(start, end)
      type(moved)
      if (many) area.setSelectionRange(start, start + moved.length)
    } else if (event.key === "Enter") {
      const start = area.value.lastIndexOf("\\n", area.selectionStart - 1) + 1
      const before = area.value.slice(start, area.selectionStart)
      const indent = before.match(/^ */)[0] + (before.trimEnd().endsWith(":") ? "    " : "")
      event.preventDefault()
      type("\\n" + indent)
    }
    if (event.key !== "Tab") own.left = false
  }
  return own
}

export default function ({ data, parentElement, setStateValue }) {
  let own = editors.get(parentElement)
  if (!own) {
    own = wire(parentElement, null, null)
    editors.set(parentElement, own)
  }
  own.send = (text) => { if (text !== own.told) { own.told = text; setStateValue("text", text) } }
  own.run = (text) => { own.send(text); setStateValue("run", [Date.now(), text]) }
  parentElement.querySelector(".name").textContent = data.label
  if (own.version !== null && data.version < own.version) {  // the server was left for so long that it forgot us
    own.version = data.version
    own.told = null
    own.send(own.area.value)
  } else if (own.version !== data.version) {
    const first = own.version === null
    own.version = data.version
    own.place = "attention-exercise-" + data.name
    let kept = null
    try { kept = first && data.version === 0 ? sessionStorage.getItem(own.place) : null } catch { kept = null }
    own.told = data.text
    own.area.value = kept ?? data.text
    if (kept === null) own.keep()
    if (!first) { own.told = null; own.send(data.text) }
    else if (kept !== null) own.send(kept)
    own.fit()
  }
}
"""
EDITOR = st.components.v2.component("attention_editor", html=HTML, css=CSS, js=JS)


def editor(name: str, label: str, text: str, version: int, key: str) -> None:
    """Draw the editor; under its key the session has what stands in it, and what was asked to run last.

    `text` is the one, `run` the other, with the time of asking before it. A higher `version` puts another text in the
    place of what was typed.
    """
    data = {"name": name, "label": label, "text": text, "version": version}
    EDITOR(key=key, data=data, on_text_change=lambda: None, on_run_change=lambda: None)
