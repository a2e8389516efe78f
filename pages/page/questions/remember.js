import "./at_exercise.js"
import "./colour_bars.js"
import "./menu.js"
import "./own_link.js"
import "./to_question.js"
import "./walk_keys.js"
import "./scroll.js"

const PLACE = "attention-progress"
const seen = new WeakSet()

function kept() {
  try { return sessionStorage.getItem(PLACE) } catch { return null /* a browser may forbid it */ }
}

export default function ({ data, parentElement, setStateValue }) {
  const before = kept(), first = !seen.has(parentElement)
  seen.add(parentElement)
  if (first && data.empty && before && before !== data.state) {  // a new session, after a reload: say what was here
    setStateValue("kept", before)
    return
  }
  try { sessionStorage.setItem(PLACE, data.state) } catch { /* then a reload forgets */ }
}
