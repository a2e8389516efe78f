const editors = new WeakMap()
const TOKENS = new RegExp([
  /(?<comment>#[^\n]*)/,
  /(?<string>[fr]?(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))/,
  /(?<defined>(?<=\bdef +)\w+)/,
  /(?<keyword>\b(?:and|as|assert|break|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|try|while|with|yield)\b)/,
  /(?<number>\b\d[\d_]*(?:\.\d*)?(?:e[+-]?\d+)?)/,
].map((one) => one.source).join("|"), "g")

/** Write a program into an element, its tokens in spans named for their kinds. */
export function paint(element, text) {
  const parts = []
  let end = 0
  for (const found of text.matchAll(TOKENS)) {
    const span = document.createElement("span")
    span.className = Object.keys(found.groups).find((kind) => found.groups[kind] !== undefined)
    span.textContent = found[0]
    parts.push(text.slice(end, found.index), span)
    end = found.index + found[0].length
  }
  element.replaceChildren(...parts, text.slice(end))
}

function wire(root, send, run) {
  const area = root.querySelector("textarea"), lines = root.querySelector(".lines")
  const colours = root.querySelector(".paint")
  const own = { area, version: null, place: null, timer: 0, send, run, left: false }
  own.fit = () => {
    const count = area.value.split("\n").length
    paint(colours, area.value)
    lines.textContent = Array.from({ length: count }, (_, i) => i + 1).join("\n")
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
  area.onscroll = () => { colours.style.transform = `translateX(${-area.scrollLeft}px)` }
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
      const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1
      const many = area.value.slice(area.selectionStart, area.selectionEnd).includes("\n")
      if (!event.shiftKey && !many) { type("    "); return }
      const end = area.selectionEnd
      const block = area.value.slice(start, end).split("\n")
      const moved = block.map((line) => event.shiftKey ? line.replace(/^ {1,4}/, "") : "    " + line).join("\n")
      area.setSelectionRange(start, end)
      type(moved)
      if (many) area.setSelectionRange(start, start + moved.length)
    } else if (event.key === "Enter") {
      const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1
      const before = area.value.slice(start, area.selectionStart)
      const indent = before.match(/^ */)[0] + (before.trimEnd().endsWith(":") ? "    " : "")
      event.preventDefault()
      type("\n" + indent)
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
