
// A new step begins at its title, and the verdict on an answer is in view and has the focus: Streamlit keeps the scroll
// position whatever the page shows, and the focus is lost with the form. On a phone, where the picture stands below or
// above its question, it stays on the screen where it was. A page that has just been opened stays where its link puts it.
const ASKING = "[data-testid=stForm],[class*=_asking]", TITLE = "[data-testid=stMain] [class*=_title_]"
const LABEL = "[class*=_strip] [aria-checked=true]"  // of the step in view, in a row that a phone may cut
const PICTURE = "[data-testid=stMain] :is([data-testid=stVegaLiteChart],.panels)"
const STACKED = 640  // pixels: narrower, Streamlit puts columns below each other
const shown = { view: null, acted: false, awaited: null, focused: null, below: true, top: 0 }

const keyOf = (element, key) => element?.className.match(key)?.[1]

/** Return what names the step in view, or the page. */
const viewName = () => location.pathname + keyOf(document.querySelector(TITLE), /st-key-(\S+)/)

const topOf = (element) => element?.getBoundingClientRect().top

/** Return how far from the top of the screen the next picture below an element begins, or the last one above it. */
function picture(element, below) {
  const tops = [...document.querySelectorAll(PICTURE)].map(topOf), at = topOf(element)
  return below ? Math.min(...tops.filter((top) => top >= at)) : Math.max(...tops.filter((top) => top < at))
}

function act({ type, target }) {
  const ballot = keyOf(target.closest?.("[class*=_ballot]:not([class*=_own_]),[class*=st-key-console_]"), /st-key-(\S+)/)  // whose button is another then
  const question = type !== "wheel" && !ballot && (target.closest?.(ASKING)?.querySelector(".ask")?.dataset.question
    ?? keyOf(target.closest?.("[class*=_again]"), /st-key-(\S+)_again/))
  shown.acted = true
  shown.awaited = question ? `[data-question="${question}"]` : ballot ? `.st-key-${ballot} [kind=primary]` : null
  shown.focused = shown.awaited ? document.querySelector(shown.awaited) : null
  shown.below = !!question && Number.isFinite(picture(shown.focused, true))  // no layout is asked for while one scrolls
  shown.top = question ? picture(shown.focused, shown.below) : NaN
}

/** Show a label in the middle of its row, and leave the page where it is. */
function centre(label, row) {
  const [{ left, width }, room] = [label, row].map((one) => one.getBoundingClientRect())
  row.scrollLeft += left + width / 2 - room.left - room.width / 2
}

function follow() {
  shown.waiting = false
  const view = viewName(), label = view !== shown.view && document.querySelector(LABEL)
  if (label) centre(label, label.closest("[role=radiogroup]"))
  if (view !== shown.view && shown.acted) {
    document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0)
    const fromEnd = document.activeElement.closest("[class*=_walk_on]")  // which is far from the title
    shown.awaited = fromEnd ? `${TITLE} h1` : null
  }
  shown.view = view
  const found = shown.awaited && document.querySelector(shown.awaited)
  if (!found || (found === shown.focused && found !== document.activeElement)) return
  shown.focused = found
  if (!found.matches("button")) found.tabIndex = -1
  found.focus({ preventScroll: true })
  const moved = picture(found, shown.below) - shown.top
  if (window.innerWidth < STACKED && Number.isFinite(moved)) document.querySelector("[data-testid=stMain]").scrollTop += moved
  found.scrollIntoView({ block: "nearest" })  // also while what stands above it is still drawn
}

/** Keep one entry of the history for each step: what changes within it, or is set back as it is left, replaces its own. */
function keepSteps(state, title, url) {
  const [now, then] = [location.href, new URL(url, location)].map((one) => `${one}`.replace(/[?#].*/, "") + `${one}`.match(/_step=\w+/))
  History.prototype[now === then ? "replaceState" : "pushState"].call(history, state, title, url)
}

if (!window.attentionScroll) {
  history.pushState = keepSteps
  window.attentionScroll = new MutationObserver(() => {
    if (!shown.waiting) requestAnimationFrame(follow)
    shown.waiting = true
  })
  for (const kind of ["pointerdown", "keydown", "wheel"]) window.addEventListener(kind, act, { capture: true, passive: true })
  window.addEventListener("popstate", () => { shown.acted = true })
  window.attentionScroll.observe(document.body, { childList: true, subtree: true })
  follow()  // so that the view is known that stands before the first act
}
