
// A link to a task or a program opens at it, below all of its step. While the page is still being drawn it would slip
// away again, so it is held there until somebody scrolls, presses or types.
if (!window.attentionAtExercise) {
  window.attentionAtExercise = true
  const main = document.querySelector("[data-testid=stMainBlockContainer]")
  if (main && /[?&]\w+_exercise=/.test(location.search)) {
    const hold = new ResizeObserver(() => document.querySelector("[class*=_practice]")?.scrollIntoView())
    hold.observe(main)
    const letGo = () => hold.disconnect()
    for (const kind of ["wheel", "touchstart", "pointerdown", "keydown"])
      window.addEventListener(kind, letGo, { capture: true, once: true })
    setTimeout(letGo, 10_000)
  }
}
