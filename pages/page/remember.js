import "./browser/at_exercise.js"
import "./browser/colour_bars.js"
import "./browser/decimal_comma.js"
import { explainLabels } from "../look/labels.js"
import "./browser/menu.js"
import "./browser/own_link.js"
import "./browser/to_question.js"
import "./browser/walk_keys.js"
import "./browser/scroll.js"

const PLACE = "attention-progress", PROGRAM = "attention-exercise-"  // which the editors write
const SEATS = "attention-seats", MOST = 5, DAY = 86_400_000  // classes that this browser was in last; milliseconds of a teacher's key
const seen = new WeakMap()  // the session that drew here last: a server that comes back begins another on the same page
let told = 0, seated = "", known = ""

function kept() {
  try { return sessionStorage.getItem(PLACE) } catch { return null /* a browser may forbid it */ }
}

const says = (name) => new URL(location).searchParams.has(name), isConsole = () => says("console")

/** Return what this browser was in a class, if this tab came into it as another, or is a console, Teach or on a stage and in none. */
function seat(state, gone, holds) {
  const [word, tab, key] = JSON.parse(state).class ?? [], leads = isConsole() || says("lecture") || location.pathname.endsWith("/teach")
  try {
    const every = JSON.parse(localStorage.getItem(SEATS)) ?? [], seats = every.filter(([, , whose, until]) => !whose || Date.now() < until), last = seats.find((one) => word ? one[0] === word && !one[2] : leads && one[2])
    if (last && !key && last[1] !== tab && seated !== last[0]) return (seated = last[0], last)
    const own = word && holds ? [[word, tab, key, key ? Date.now() + DAY : {}]] : [], left = seats.filter(([one, , whose]) => one !== gone && (one !== word || !whose !== !key))
    if (own.length || left.length < every.length) localStorage.setItem(SEATS, JSON.stringify([...own, ...left].slice(0, MOST)))
  } catch { /* a browser may forbid it */ }
  return null
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  explainLabels(data.meanings)
  const before = kept(), first = seen.get(parentElement) !== data.session
  seen.set(parentElement, data.session)
  const programs = first && data.empty && before ? Object.entries(sessionStorage).filter(([key]) => key.startsWith(PROGRAM)) : []
  if (programs.length) setTriggerValue("programs", Object.fromEntries(programs))
  const other = seat(data.state, data.gone, data.holds)
  if (other) setTriggerValue(other[2] && !isConsole() ? "left" : "seat", other)  // Teach and the stage ask first
  if (first && data.empty && before && before !== data.state) {  // a new session, after a reload: say what was here
    setStateValue("kept", before + " ".repeat(told++ % 9))  // what is equal to the last report is none
    return
  }
  if (other) return
  const [word, tab, key] = JSON.parse(data.state).class ?? []
  if (word && !key && known !== word) setTriggerValue("seat", [known = word, tab, "", {}])  // and is counted from then on
  try { sessionStorage.setItem(PLACE, data.state) } catch { document.documentElement.classList.add("forgets") /* the page says so */ }
}
