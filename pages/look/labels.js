// What a label of a picture means, where that is no plain English: under the pointer, at a tap, and with the focus.
const LABELS = "svg.marks text, .course :is(th, .head, .ledger b, .of, .gloss)"
const explained = (window.attentionLabels ??= { meanings: {} })

/** Return the meaning of a label, as `meaning` of the glossary does. */
function meaningOf(label) {
  const name = label.textContent.normalize("NFKC").replaceAll("_", "").replace(/[−-]?\d[\d.,]*/g, "#")
    .replace(/^[ :×↑→↓]+|[ :×↑→↓]+$/g, "").toLowerCase()
  return explained.meanings[name] ?? explained.meanings[name.replace(/:.*$/, "").replace(/[ #]+$/, "")]
}

/** Mark all labels; the keyboard comes to the first of each meaning. */
function mark() {
  explained.waiting = false
  const said = new Set()
  for (const label of document.querySelectorAll(LABELS)) {
    const meaning = meaningOf(label)
    if (!meaning) { if (label.dataset.meaning) delete label.dataset.meaning; continue }
    if (label.dataset.meaning !== meaning) label.dataset.meaning = meaning
    if (said.has(meaning)) label.removeAttribute("tabindex")
    else label.setAttribute("tabindex", 0)
    said.add(meaning)
  }
}

/** Show the meaning of a label under it, or that of none. */
function tell({ target, type, key }) {
  if (type === "keydown" && key !== "Escape") return
  const label = type === "keydown" || type === "focusout" ? null : target.closest?.("[data-meaning]")
  explained.tip.hidden = !label
  if (!label) return
  const { left, bottom, top } = label.getBoundingClientRect()
  explained.tip.textContent = label.dataset.meaning
  label.setAttribute("aria-describedby", explained.tip.id)
  const { width, height } = explained.tip.getBoundingClientRect()
  const below = bottom + 6 + height < innerHeight ? bottom + 6 : top - 6 - height
  explained.tip.style.translate = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px ${below}px`
}

export function explainLabels(meanings) {
  explained.meanings = meanings
  if (explained.tip) return
  explained.tip = document.createElement("div")
  Object.assign(explained.tip, { id: "label-meaning", className: "course meaning", role: "tooltip", hidden: true })
  document.querySelector(".stApp").append(explained.tip)  // which knows light from dark
  for (const kind of ["pointerover", "focusin", "focusout", "click", "keydown"]) document.addEventListener(kind, tell)
  document.addEventListener("scroll", () => { explained.tip.hidden = true }, { capture: true, passive: true })
  new MutationObserver(() => {
    if (!explained.waiting) requestAnimationFrame(mark)
    explained.waiting = true
  }).observe(document.body, { childList: true, subtree: true })
  mark()
}
