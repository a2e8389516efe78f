import { put, set } from "../look/parts.js"
import { panelIn, picture } from "./sliders.js"

const WIDE = 150, HIGH = 56, EDGE = 5  // of a small curve

function shape({ prompt, frames, curves, top }) {
  return [prompt, frames.length, curves, top]
}

function make(own) {
  const { curves } = own.data
  const text = panelIn(own.panels)
  text.chart.classList.add("text")
  text.chart.parentElement.classList.add("wide")
  const board = put(own.panels, "div", { class: "curves wide" })
  own.drawn = { text, curves: curves.map((curve) => curveIn(board, curve, own.data)) }
  own.tall = 0
}

/** Build a small curve: its name, its number, a dot and a rule where the slider stands. */
function curveIn(board, { name, values }, { top }) {
  const figure = put(board, "div", { class: "curve" })
  put(figure, "span", { class: "name" }, name)
  const value = put(figure, "b")
  const svg = put(figure, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, "aria-hidden": "true" })
  const x = (at) => EDGE + at / Math.max(1, values.length - 1) * (WIDE - 2 * EDGE)
  const y = (value) => EDGE + (1 - value / top) * (HIGH - 2 * EDGE)
  for (const end of [0, top]) put(svg, "line", { class: "grid", x1: EDGE, x2: WIDE - EDGE, y1: y(end), y2: y(end) })
  const rule = put(svg, "line", { class: "rule", y1: 0, y2: HIGH })
  put(svg, "polyline", { points: values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ") })
  return { x, y, rule, value, dot: put(svg, "circle", { r: 4 }), values }
}

function move(own) {
  const { data: { prompt, frames, sliders: [slider] }, drawn } = own, at = own.at[slider.name]
  const { parts, told } = frames[at], { text, curves } = drawn
  text.chart.replaceChildren()
  put(text.chart, "b", {}, prompt)
  for (const [part, isNew] of parts) put(text.chart, isNew ? "mark" : "span", {}, part)
  own.tall = own.width === text.chart.offsetWidth ? Math.max(own.tall, text.chart.offsetHeight) : 0  // what is below stays
  own.width = text.chart.offsetWidth
  text.chart.style.minHeight = own.tall ? `${own.tall}px` : ""
  text.told.textContent = told
  text.chart.setAttribute("aria-label", `${prompt}${parts.map(([part]) => part).join("")}`)
  const numbers = curves.map(({ x, y, rule, value, dot, values }, i) => {
    set(rule, { x1: x(at), x2: x(at) })
    set(dot, { cx: x(at), cy: y(values[at]) })
    value.textContent = values[at].toFixed(2)
    return `${own.data.curves[i].name} ${values[at].toFixed(2)}`
  })
  return [told, numbers.join(", ")]
}

export default picture({ shape, make, move })
