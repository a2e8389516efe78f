import "../browser/at_exercise.js"
import "../browser/colour_bars.js"
import "../browser/menu.js"
import "../browser/own_link.js"
import "../browser/to_question.js"
import "../browser/walk_keys.js"
import "../browser/scroll.js"

const PLACE = "attention-progress", PROGRAM = "attention-exercise-"  // which the editors write
const seen = new WeakMap()  // the session that drew here last: a server that comes back begins another on the same page
let told = 0

function kept() {
  try { return sessionStorage.getItem(PLACE) } catch { return null /* a browser may forbid it */ }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const before = kept(), first = seen.get(parentElement) !== data.session
  seen.set(parentElement, data.session)
  const programs = first && data.empty && before ? Object.entries(sessionStorage).filter(([key]) => key.startsWith(PROGRAM)) : []
  if (programs.length) setTriggerValue("programs", Object.fromEntries(programs))
  if (first && data.empty && before && before !== data.state) {  // a new session, after a reload: say what was here
    setStateValue("kept", before + " ".repeat(told++ % 9))  // what is equal to the last report is none
    return
  }
  try { sessionStorage.setItem(PLACE, data.state) } catch { document.documentElement.classList.add("forgets") /* the page says so */ }
}
