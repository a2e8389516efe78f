
// Shift with an arrow goes to the step before or after, whatever has the focus: a slider, a choice or a picture would
// take the arrow for itself. A line of text keeps it while there is something to mark, a program always.
const WAYS = { ArrowLeft: 0, ArrowRight: 1 }  // which of the two buttons
const LINES = ["text", "search"]  // of the fields, those that say where their caret is

/** Whether what has the focus needs this key for itself. */
function keeps(field, key) {
  if (field.isContentEditable || /^(TEXTAREA|SELECT)$/.test(field.tagName)) return true
  if (field.getAttribute?.("aria-expanded") === "true") return true  // a list that is open
  if (field.tagName !== "INPUT" || !LINES.includes(field.type)) return false
  const end = key === "ArrowRight" ? field.value.length : 0
  return field.selectionStart !== end || field.selectionEnd !== end
}

function walkOn(event) {
  if (!(event.key in WAYS) || !event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return
  const focused = event.composedPath()[0], steps = document.querySelector("[class*=_walk]")
  if (!steps || event.isComposing || document.querySelector("[role=dialog]") || keeps(focused, event.key)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  const button = steps.querySelectorAll("button")[WAYS[event.key]]
  if (event.repeat || !button?.checkVisibility() || button.disabled) return
  if (["number", ...LINES].includes(focused.type)) focused.blur()  // which reports what was typed
  setTimeout(() => button.click())  // after that report, which puts it into the address
}

if (!window.attentionWalk) {
  window.attentionWalk = true
  window.addEventListener("keydown", walkOn, true)
}
