
// Shift with an arrow goes to another step. A slider and a choice of one would take the arrow for themselves.
const TAKERS = '[role="slider"], input[type="range"], [role="radio"], input[type="radio"], input[type="checkbox"]'

window.attentionWalk ??= (event) => {
  const way = { ArrowRight: "next", ArrowLeft: "back" }[event.key]
  if (!way || !event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || !event.target.matches?.(TAKERS)) return
  event.preventDefault()
  event.stopImmediatePropagation()
  document.querySelector(`[class*="_walk"] [class$="_${way}"] button:not(:disabled)`)?.click()
}
window.addEventListener("keydown", window.attentionWalk, true)
