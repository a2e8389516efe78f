import { put, set } from "../look/parts.js"
import { SIDE, arrowIn, beyond, nameIn, placeNames, point, squareIn } from "./arrows.js"
import { barsIn, panelIn, picture, stop, tellUnder } from "./sliders.js"

const ROOM = 1.45  // of the longest hand: names have room beyond it
const TICKS = 12
const ROUND = 2 * Math.PI

/** Return a pair rotated by an angle, as attention_core's `rotate` does. */
function rotated([x, y], angle) {
  const cosine = Math.cos(angle), sine = Math.sin(angle)
  return [x * cosine - y * sine, x * sine + y * cosine]
}

/** Return the position that some sliders say together, but for one of them. */
function positionOf(own, names, without = "") {
  return names.filter((name) => name !== without).reduce((sum, name) => sum + Number(stop(own, name)), 0)
}

/** Return the angles between which a hand has rotated. */
function anglesOf(own, { at, since, only }, turn, without = "") {
  if (only !== null && own.choice !== only) return [0, 0]
  return [since ?? at, at].map((names) => turn * positionOf(own, names, without))
}

/** Return where a hand points. */
function tipOf(own, hand, turn, without = "") {
  return rotated(hand.start, anglesOf(own, hand, turn, without)[1])
}

/** Return the path of a tip on its last round. */
function arcOf({ toScreen }, start, [from, to]) {
  const last = to - (to - from) % ROUND, parts = Math.ceil(Math.abs(to - last) * 16) + 1
  const points = Array.from({ length: parts + 1 }, (_, i) => toScreen(rotated(start, last + (to - last) * i / parts)))
  return `M${points.map((place) => place.map((number) => number.toFixed(2)).join(" ")).join("L")}`
}

/** Return the hand of a role. */
function handOf({ hands }, role) {
  return hands.find((hand) => hand.role === role)
}

/** Return the products of q and k in each pair, and their sum over the root of the width. */
function scoreOf(own, without = "") {
  const { clocks, score } = own.data
  const parts = clocks.map((clock) => {
    const [q, k] = ["query", "key"].map((role) => tipOf(own, handOf(clock, role), clock.turn, without))
    return q[0] * k[0] + q[1] * k[1]
  })
  return { parts, total: parts.reduce((sum, part) => sum + part, 0) / Math.sqrt(score.width) }
}

/** Return a number with commas and a minus as Python writes them. */
function signed(number, digits) {
  const text = number.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return text.replace(/^-(0\.?0*)$/, "$1").replace("-", "−")
}

function shape({ clocks, limit, score }) {
  return [limit, score?.bars, clocks.map(({ title, hands }) => [title, hands.map(({ start }) => start)])]
}

function make(own) {
  const { clocks, limit, score } = own.data
  own.drawn = clocks.map(({ title, hands }) => {
    const panel = panelIn(own.panels, title), square = squareIn(panel.chart, ROOM * limit)
    square.svg.setAttribute("viewBox", `0 16 ${SIDE} ${SIDE - 32}`)  // names need less room above than beside
    const rotate = hands.filter(({ at, only }) => at.length && only === null)
    const lengths = [...new Set(rotate.map(({ start }) => Math.hypot(...start)))]
    const [middle, edge] = square.toScreen([0, Math.max(...lengths)])
    lengths.forEach((far) => put(square.svg, "circle", { class: "face", cx: middle, cy: middle, r: middle - square.toScreen([0, far])[1] }))
    for (let i = 0; i < TICKS; i++) {
      const [[x1, y1], [x2, y2]] = [middle - edge - 5, middle - edge].map((far) => rotated([far, 0], ROUND * i / TICKS).map((place) => place + middle))
      put(square.svg, "line", { class: "axis", x1, y1, x2, y2 })
    }
    const arcs = hands.map(({ role }) => put(square.svg, "path", { class: `arc ${role}` }))
    const dots = hands.map(({ role }) => put(square.svg, "circle", { class: `from ${role}`, r: 3.5 }))
    const built = hands.map((hand) => arrowIn(square.svg, hand))
    return { ...panel, ...square, arcs, dots, built, names: hands.map((hand) => nameIn(square.svg, hand)) }
  })
  if (!score?.bars) return
  const panel = panelIn(own.panels, "Scaled score")
  panel.chart.classList.add("score")
  const rows = barsIn(panel.chart, [...clocks.map(({ pair }) => `pair ${pair}`), "÷ √d_k"], clocks.length)
  rows.forEach(({ row }) => row.classList.add("signed"))
  own.score = { ...panel, rows, before: put(rows.at(-1).bar.parentElement, "b", { class: "before" }) }
}

function moveClock(own, clock, { turn, hands }) {
  const places = hands.map((hand, i) => {
    const angles = anglesOf(own, hand, turn), tip = clock.toScreen(rotated(hand.start, angles[1]))
    const [x, y] = clock.toScreen(rotated(hand.start, angles[0]))
    const turns = hand.since && angles[0] !== angles[1]
    clock.arcs[i].setAttribute("d", turns ? arcOf(clock, hand.start, angles) : "")
    set(clock.dots[i], { cx: x, cy: y, visibility: turns && !hand.since.length ? "visible" : "hidden" })
    return beyond(tip, point(clock.built[i], tip), clock.names[i].width)
  })
  placeNames(clock.names, places)
}

function degrees(angle) {
  return `${signed(angle * 360 / ROUND, 1)}°`
}

/** Return what is said under a clock. */
function told(own, clock) {
  const { pair, turn } = clock
  if (own.data.score) {
    const [q, k] = ["query", "key"].map((role) => handOf(clock, role)).map((hand) => hand && degrees(anglesOf(own, hand, turn)[1]))
    return `q rotates by ${q}${k ? `, k by ${k}` : ""}.`
  }
  const here = positionOf(own, ["here"]), steps = positionOf(own, ["steps"])
  const way = `${Math.abs(steps)} step${Math.abs(steps) === 1 ? "" : "s"} ${steps < 0 ? "earlier" : "later"}`
  return `Pair ${pair} at position ${here} and ${way}: ${degrees(steps * turn)}.`
}

/** Return how far the values of all pairs together are from where they point without a shift. */
function valueMoved(own, shift) {
  return Math.hypot(...own.data.clocks.flatMap((clock) => {
    const hand = handOf(clock, "value"), before = tipOf(own, hand, clock.turn, shift)
    return tipOf(own, hand, clock.turn).map((number, i) => number - before[i])
  }))
}

/** Move the bars, and return what is said under them. */
function moveScore(own) {
  const { clocks, score: { shift } } = own.data, { rows, before } = own.score
  const now = scoreOf(own), first = scoreOf(own, shift)
  const most = Math.max(...clocks.map((clock) => Math.hypot(...handOf(clock, "query").start) * Math.hypot(...handOf(clock, "key").start)))
  const place = (number) => 50 + 50 * Math.max(-1, Math.min(1, number / most))
  ;[...now.parts, now.total].forEach((number, i) => {
    const { bar, number: text } = rows[i], at = place(number)
    bar.style.left = `${Math.min(50, at)}%`
    bar.style.width = `${Math.abs(at - 50)}%`
    bar.classList.toggle("minus", number < 0)
    text.textContent = signed(number, 4)
  })
  before.hidden = !shift
  before.style.left = `${place(first.total)}%`
  const [q, k] = ["query", "key"].map((role) => positionOf(own, handOf(clocks[0], role).at))
  const offset = `Offset ${k} − ${q} = ${signed(k - q, 0)}: the scaled score is ${signed(now.total, 4)}`
  if (!shift || !positionOf(own, [shift])) return `${offset}.`
  const moved = valueMoved(own, shift), still = moved < 1e-9
  return `${offset}. Without the shift it is ${signed(first.total, 4)}. The shift ${still ? "does not change v" : `changes v by ${signed(moved, 2)}`}.`
}

function move(own) {
  const { clocks, score } = own.data
  const sentences = clocks.map((clock, i) => {
    moveClock(own, own.drawn[i], clock)
    const sentence = told(own, clock)
    tellUnder(own.drawn[i], sentence)
    return sentence
  })
  if (!score?.bars) return sentences
  const sentence = moveScore(own)
  tellUnder(own.score, sentence)
  return [sentence]
}

export default picture({ shape, make, move })
