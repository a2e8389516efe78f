// What a label of a picture means, where that is no plain English: under the pointer, at a tap, and with the focus.
const LABELS = "svg.marks text, .course :is(th, .head, .ledger b, .of, .gloss)"
const explained = (window.attentionLabels ??= { meanings: {} })

/** Return the meaning of a label, as `meaning` of the glossary does; a word that a student typed has none. */
function meaningOf(label, typed) {
  if (typed.has(label.textContent.replace(/[₀-₉]+$/, "").toLowerCase())) return
  const name = label.textContent.replace(/[₀-₉]+/g, "ₙ").normalize("NFKC").replaceAll("_", "").replace(/[−-]?\d[\d.,]*/g, "#")
    .replace(/^[ :×↑→↓]+|[ :×↑→↓]+$/g, "").toLowerCase()
  return explained.meanings[name] ?? explained.meanings[name.replace(/(:| of ).*$/, "").replace(/[ #]+$/, "")]
}

/** Mark all labels; the keyboard comes to the first of each meaning. */
function mark() {
  explained.waiting = false
  const said = new Set(), fields = [...document.querySelectorAll(".stTextInput input")]
  const typed = new Set(fields.flatMap((field) => field.value.toLowerCase().split(/\s+/)))
  for (const label of document.querySelectorAll(LABELS)) {
    const meaning = meaningOf(label, typed)
    if (!meaning) { if (label.dataset.meaning) delete label.dataset.meaning; continue }
    if (label.dataset.meaning !== meaning) label.dataset.meaning = meaning
    if (said.has(meaning)) label.removeAttribute("tabindex")
    else label.setAttribute("tabindex", 0)
    said.add(meaning)
  }
}

/** Show the meaning of a label, which may be one of a component, or that of none; not under a pointer that rests. */
function tell(event) {
  const { type, screenX, screenY } = event, at = `${screenX} ${screenY}`, rested = explained.rests
  if (type === "keydown" && event.key !== "Escape") return
  if (type === "pointerover" || type === "pointermove") {
    const rests = at === explained.at && (rested || type === "pointerover")  // the page was drawn anew under it
    Object.assign(explained, { at, rests })
    document.body.classList.toggle("rests", Boolean(rests))
    if (type === "pointermove" && !(rested && !rests)) return
  }
  const ends = ["keydown", "focusout", "blur", "pointerleave"].includes(type) || type.startsWith("pointer") && explained.rests
  const label = ends ? null : event.composedPath().find((part) => part.dataset?.meaning)
  if (type === "pointerover" && !label && explained.label?.matches(":focus")) return  // it scrolled
  explained.label = label
  place()
}

/** Put the meaning under its label, or over it where there is more room; scrolled, it stays there. */
function place() {
  const { label, tip } = explained
  tip.hidden = !label?.isConnected
  if (tip.hidden) return
  const { left, bottom, top } = label.getBoundingClientRect()
  tip.textContent = label.dataset.meaning
  label.setAttribute("aria-description", label.dataset.meaning)
  const { width, height } = tip.getBoundingClientRect()
  const below = bottom + 6 + height < innerHeight ? bottom + 6 : top - 6 - height
  tip.style.translate = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px ${below}px`
}

export function explainLabels(meanings) {
  Object.assign(explained, { meanings, tell })
  if (explained.tip) return
  explained.tip = document.createElement("div")
  Object.assign(explained.tip, { className: "course meaning", role: "tooltip", hidden: true })
  document.querySelector(".stApp").append(explained.tip)  // which knows light from dark
  for (const kind of ["pointerover", "pointermove", "focusin", "focusout", "click", "keydown"]) document.addEventListener(kind, tell)
  document.addEventListener("scroll", place, { capture: true, passive: true })
  new MutationObserver(() => {
    if (!explained.waiting) requestAnimationFrame(mark)
    explained.waiting = true
  }).observe(document.body, { childList: true, subtree: true })
  mark()
}
