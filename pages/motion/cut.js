import { put, set } from "../look/parts.js"
import { barsIn, panelIn, picture, setBar, stop, tellUnder } from "./sliders.js"

const WIDE = 300, HIGH = 190, LEFT = 44, RIGHT = 10, TOP = 8, BOTTOM = 38  // of the curve of sizes
const EXAMPLE = 0.9  // of top-p, where nothing is cut

/** Return what attention_core's `choose` keeps of sorted logits, and the probabilities before and after. */
function cut(logits, temperature, topK, topP) {
  const odds = logits.map((logit) => Math.exp(logit / temperature - logits[0] / temperature))
  let together = 0
  const sums = odds.map((odd) => (together += odd))
  let kept = topK ? Math.min(topK, odds.length) : odds.length
  if (topP < 1) {
    const enough = topP * sums[kept - 1]
    kept = sums.findIndex((sum) => sum >= enough) + 1
  }
  return {
    kept,
    before: odds.map((odd) => odd / together),
    after: odds.map((odd, i) => (i < kept ? odd / sums[kept - 1] : 0)),
  }
}

/** Return how many tokens are kept at each stop of the temperature; where nothing is cut, by top-p as an example. */
function sizesOf(logits, heats, topK, topP) {
  const limit = topK || topP < 1 ? topP : EXAMPLE
  return { limit, sizes: heats.map((heat) => cut(logits, Number(heat), topK, limit).kept) }
}

function shape({ labels, logits, unit, sliders }) {
  return [labels, logits.length, unit, heatsOf(sliders)]
}

function heatsOf(sliders) {
  return sliders.find(({ name }) => name === "temperature").stops
}

function make(own) {
  const { labels, logits, unit } = own.data, others = logits.length - labels.length
  const panel = panelIn(own.panels)
  panel.chart.classList.add("cuts")
  const head = put(panel.chart, "div", { class: "row" })
  for (const text of ["", "", "before", "after"]) put(head, "span", { class: "number" }, text)
  const rows = barsIn(panel.chart, others ? [...labels, `${others.toLocaleString("en")} others`] : labels)
  own.drawn = { ...panel, line: put(panel.chart, "div", { class: "cut" }) }
  own.drawn.rows = rows.map(({ row, bar, number }) => {
    const mark = put(bar.parentElement, "b"), before = put(row, "span", { class: "number soft" })
    number.before(before)
    return { row, bar, number, mark, before }
  })
  const sizes = panelIn(own.panels, `Size of the nucleus, the ${unit}s that are kept, by T`)
  own.drawn.sizes = { ...sizes, ...curveIn(sizes.chart, logits.length, heatsOf(own.data.sliders)) }
}

/** Build the curve of sizes: axes, a line, and a dot where the temperature stands. */
function curveIn(chart, most, heats) {
  const svg = put(chart, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "sizes" })
  const x = (at) => LEFT + at / (heats.length - 1) * (WIDE - LEFT - RIGHT)
  const y = (size) => TOP + (1 - Math.log(size) / Math.max(1, Math.log(most))) * (HIGH - TOP - BOTTOM)
  for (let size = 1; size <= most; size *= 10) {
    put(svg, "line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(size), y2: y(size) })
    put(svg, "text", { class: "tick", x: LEFT - 6, y: y(size) + 4, "text-anchor": "end" }, size.toLocaleString("en"))
  }
  heats.forEach((heat, at) => {
    if (Number(heat) % 0.5 === 0) put(svg, "text", { class: "tick", x: x(at), y: HIGH - BOTTOM + 16, "text-anchor": "middle" }, heat)
  })
  put(svg, "text", { class: "tick", x: (LEFT + WIDE - RIGHT) / 2, y: HIGH - 5, "text-anchor": "middle" }, "temperature T")
  const rule = put(svg, "line", { class: "rule", y1: TOP, y2: HIGH - BOTTOM })
  return { x, y, rule, line: put(svg, "polyline"), dot: put(svg, "circle", { r: 4.5 }) }
}

/** Move the curve with the cuts, and its dot with the temperature; return what it says. */
function moveCurve({ x, y, rule, line, dot, ...panel }, { limit, sizes }, { heats, at, topK, topP, unit }) {
  line.setAttribute("points", sizes.map((size, i) => `${x(i).toFixed(1)},${y(size).toFixed(1)}`).join(" "))
  set(rule, { x1: x(at), x2: x(at) })
  set(dot, { cx: x(at), cy: y(sizes[at]) })
  const cuts = [topK ? `top-k = ${topK}` : "", limit < 1 ? `top-p = ${limit}` : ""].filter(Boolean).join(" and ")
  const would = topK || topP < 1 ? "" : "For example, "
  const [low, high] = [heats[0], heats.at(-1)]
  const sentence = `${would}${cuts} ${would ? "would keep" : topK && limit < 1 ? "keep" : "keeps"} ${several(sizes[0], unit)} at T = ${low}, ` +
    `${sizes[at].toLocaleString("en")} at T = ${heats[at]} and ${sizes.at(-1).toLocaleString("en")} at T = ${high}.`
  tellUnder(panel, sentence[0].toUpperCase() + sentence.slice(1))
  return panel.told.textContent
}

function several(count, unit) {
  return `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`
}

function move(own) {
  const { labels, logits, unit } = own.data, { rows, line } = own.drawn
  const [topP, topK, temperature] = ["top_p", "top_k", "temperature"].map((name) => Number(stop(own, name)))
  const { kept, before, after } = cut(logits, temperature, topK, topP)
  const ofOthers = (shares) => shares.slice(labels.length).reduce((sum, share) => sum + share, 0)
  rows.forEach((row, i) => {
    const [was, is] = [before, after].map((shares) => (i < labels.length ? shares[i] : ofOthers(shares)))
    row.row.classList.toggle("out", i >= kept)
    row.mark.style.left = `${100 * was}%`
    row.before.textContent = was.toFixed(2)
    setBar(row, is)
  })
  line.hidden = kept === logits.length || kept > labels.length
  line.style.top = `calc(var(--row) * ${kept + 1})`
  const together = before.slice(0, kept).reduce((sum, share) => sum + share, 0)
  const cuts = [topK ? `top-k = ${topK}` : "", topP < 1 ? `top-p = ${topP}` : ""].filter(Boolean).join(" and ")
  const sentence = cuts
    ? `At T = ${temperature}, ${cuts} keep${topK && topP < 1 ? "" : "s"} ${kept.toLocaleString("en")} of ${logits.length.toLocaleString("en")} ${unit}s. ` +
      `Before the cut ${kept === 1 ? "it has" : "they have"} probability ${together.toFixed(2)}${kept === 1 ? "" : " together"}.`
    : `At T = ${temperature}, all ${logits.length.toLocaleString("en")} ${unit}s are kept.`
  tellUnder(own.drawn, sentence)
  const heats = heatsOf(own.data.sliders), at = own.at.temperature
  return [sentence, moveCurve(own.drawn.sizes, sizesOf(logits, heats, topK, topP), { heats, at, topK, topP, unit })]
}

export default picture({ shape, make, move })
