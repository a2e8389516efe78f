// The keys of a presenter on the console, and its clocks, which go on between two runs of the page.
const PRESS = { PageDown: "next", ArrowRight: "next", PageUp: "back", ArrowLeft: "back", b: "black", q: "code" }
const FIELDS = "input:not([type=checkbox]), textarea, [contenteditable=true], [role=dialog] *"
const begun = new WeakMap()

function tick() {
  for (const clock of document.querySelectorAll("time[data-seconds]")) {
    if (begun.get(clock)?.[0] !== clock.dataset.seconds) begun.set(clock, [clock.dataset.seconds, performance.now()])
    const [seconds, since] = begun.get(clock), now = Math.floor(Number(seconds) + (performance.now() - since) / 1000)
    clock.textContent = `${Math.floor(now / 60)}:${String(now % 60).padStart(2, "0")}`
  }
}

function press(event) {
  const name = PRESS[event.key]
  if (!name || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.(FIELDS)) return
  event.preventDefault()
  if (!event.repeat) document.querySelector(`.st-key-console_${name} button`)?.click()
}

export default function () {
  tick()
  if (window.attentionConsole) return
  window.attentionConsole = true
  document.addEventListener("keydown", press)
  setInterval(tick, 500)
}
