import { fill, listed, put, set, shown } from "../look/parts.js"
import { SIDE, arrowIn, beyond, nameIn, placeNames, point, squareIn } from "./arrows.js"
import { barsIn, panelIn, picture, setBar, stop, tellUnder } from "./sliders.js"

const NUMBERS = { "√2": Math.SQRT2, "∞": Infinity }  // of the temperatures that are written with signs

/** Return the weights of attention_core's `softmax_at`. */
function softmaxAt(scores, temperature) {
  const most = Math.max(...scores)
  const close = 1e-9 * Math.max(...scores.map(Math.abs))  // less is rounding
  const counted = (score) => (temperature === 0 ? Number(score >= most - close) : 1)
  const powers = scores.map((score) => (temperature > 0 && temperature < Infinity ? Math.exp((score - most) / temperature) : counted(score)))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / sum)
}

/** Return what attention_core's `rotate_in_plane`, `dot_products`, `softmax_at` and `mix_values` return for a query. */
function lookUp({ query, keys, values }, degrees, temperature) {
  const angle = degrees * Math.PI / 180, cosine = Math.cos(angle), sine = Math.sin(angle)
  const turned = keys.map(([x, y]) => [cosine * x - sine * y, sine * x + cosine * y])
  const weights = softmaxAt(turned.map(([x, y]) => x * query[0] + y * query[1]), temperature)
  const output = [0, 1].map((i) => weights.reduce((sum, weight, j) => sum + weight * values[j][i], 0))
  return { turned, weights, output }
}

/** Return the sentence on the largest weight: of those that Python sends, that of the words with the largest, as shown. */
function brightest(weights, { asks, labels, says }) {
  const value = shown(Math.max(...weights)), first = labels.filter((_, i) => shown(weights[i]) === value)
  const alone = weights.filter((weight) => weight > 0).length === 1
  const kind = first.length === 1 ? (alone ? "only" : "one") : first.length === weights.length ? "all" : "several"
  return fill(says[kind], { asks: listed([labels[asks]]), names: listed(first), value })
}

function shape({ sliders, ...picture }) {
  return picture
}

function gridIn({ svg, toScreen }, limit) {
  for (let i = -4; i <= 4; i++) {
    const at = limit * i / 4, [x, y] = toScreen([at, at])
    const look = i ? "grid" : "axis"
    put(svg, "line", { class: look, x1: x, x2: x, y1: 0, y2: SIDE })
    put(svg, "line", { class: look, x1: 0, x2: SIDE, y1: y, y2: y })
    if (i % 2 || !i) continue
    const edge = i === 4 ? -9 : i === -4 ? 9 : 0, text = String(Number(at.toPrecision(4))).replace("-", "−")
    put(svg, "text", { class: "tick", x: x + edge * 1.4, y: SIDE / 2 + 12, "text-anchor": "middle" }, text)
    put(svg, "text", { class: "tick", x: SIDE / 2 - 5, y: y + 4 - edge, "text-anchor": "end" }, text)
  }
}

function make(own) {
  const { keys, values, labels, asks, outline, limits, titles } = own.data
  const [left, right, last] = titles.map((title) => panelIn(own.panels, title))
  const plane = (panel, limit, arrows, points = []) => {
    const square = squareIn(panel.chart, limit)
    gridIn(square, limit)
    const area = put(square.svg, "polygon", { class: "area" })
    const built = arrows.map((arrow) => arrowIn(square.svg, arrow))
    const dots = points.map(() => put(square.svg, "circle", { class: "dot", r: 5 }))
    return { ...panel, ...square, area, built, dots, names: [...arrows, ...points].map((one) => nameIn(square.svg, one)) }
  }
  const of = (role, rows) => rows.map((_, i) => ({ label: `${role[0]} ${labels[i]}`, role }))
  own.left = plane(left, limits[0], [...of("key", keys), { label: `q ${labels[asks]}`, role: "query" }])
  own.right = plane(right, limits[1], of("value", values), [{ label: "output", role: "output" }])
  own.right.area.setAttribute("points", outline.map(own.right.toScreen).join(" "))
  own.last = { ...last, rows: barsIn(last.chart, labels) }
}

/** Move the arrows of a plane to their places, its dots to theirs, and the names with them. */
function moveTo({ toScreen, built, dots, names }, vectors, points = []) {
  const places = vectors.map((vector, i) => {
    const tip = toScreen(vector)
    return beyond(tip, point(built[i], tip), names[i].width)
  })
  points.forEach((vector, i) => {
    const [x, y] = toScreen(vector), { width } = names[vectors.length + i]
    set(dots[i], { cx: x, cy: y })
    places.push({ x: x + 10 + width / 2, y, width })
  })
  placeNames(names, places)
}

function move(own) {
  const { data, left, right, last } = own, temperature = stop(own, "temperature")
  const { turned, weights, output } = lookUp(data, Number(stop(own, "angle")), NUMBERS[temperature] ?? Number(temperature))
  moveTo(left, [...turned, data.query])
  moveTo(right, data.values, [output])
  last.rows.forEach((bar, i) => setBar(bar, weights[i]))
  const sentences = [...data.told, brightest(weights, data)]
  const panels = [left, right, last]
  panels.forEach((panel, i) => tellUnder(panel, sentences[i]))
  return sentences.slice(-1)
}

export default picture({ shape, make, move })
