import { put } from "../look/parts.js"
import { panelIn, picture, stop, tellUnder } from "./sliders.js"

const NUMBERED = 9  // words up to which a number fits into a cell on a phone
const LONGEST = 10  // letters that have room beside the cells; of a longer word the beginning and the end are shown
const BEGINNING = 5, END = 4

/** Return the causal weights of a head with W_Q = sharp · M(−back) and W_K = I over vectors of positions from start on. */
function lookBack(frequencies, length, { back, start, sharp, placed }) {
  const root = Math.sqrt(2 * frequencies.length)
  const rows = Array.from({ length }, (_, i) => frequencies.map((turn) => [(start + i) * turn].flatMap((angle) => [
    placed * Math.sin(angle), placed * Math.cos(angle),
  ])))
  const queries = rows.map((row) => row.map(([sine, cosine], pair) => {
    const s = Math.sin(back * frequencies[pair]), c = Math.cos(back * frequencies[pair])
    return [sharp * (sine * c - cosine * s), sharp * (cosine * c + sine * s)]
  }))
  return queries.map((query, i) => {
    const scores = rows.map((key, j) => j > i ? -Infinity : query.reduce((sum, [a, b], pair) => sum + a * key[pair][0] + b * key[pair][1], 0) / root)
    const top = Math.max(...scores), odds = scores.map((score) => Math.exp(score - top))
    const together = odds.reduce((sum, odd) => sum + odd, 0)
    return odds.map((odd) => odd / together)
  })
}

/** Return how much of their attention the words have on the word so many steps back, in a sentence. */
function reached(weights, back, way) {
  const found = weights.flatMap((row, i) => (i - back in row ? [row[i - back]] : []))
  if (!found.length) return `No word has a word ${way}.`
  const [low, high] = [Math.min(...found), Math.max(...found)].map((share) => share.toFixed(2))
  const many = `${found.length} of ${weights.length} words ${found.length === 1 ? "has" : "have"} a word ${way}`
  return `${many}. Attention weight on it: ${low === high ? low : `${low} to ${high}`}.`
}

/** Return a word as it stands at a row or a column, without its middle where it is long. */
function shortened(word) {
  const letters = Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment)
  return letters.length <= LONGEST ? word : `${letters.slice(0, BEGINNING).join("")}…${letters.slice(-END).join("")}`
}

function shape({ labels, row, frequencies }) {
  return [labels, row, frequencies.length]
}

function make(own) {
  const { labels, row } = own.data
  const panel = panelIn(own.panels)
  panel.chart.classList.add("map")
  panel.chart.style.setProperty("--n", labels.length)
  put(panel.chart, "span")
  put(panel.chart, "span")
  const named = (label, look) => put(put(panel.chart, "span", { class: look, title: label }), "bdi").append(shortened(label))
  labels.forEach((label) => named(label, "above"))
  const places = labels.map((label, i) => {
    named(label, i === row ? "side chosen" : "side")
    return put(panel.chart, "span", { class: "place" })
  })
  // The cells stand in one grid with the words, row after row.
  const cells = labels.map((_, i) => labels.map(() => {
    const cell = document.createElement("span")
    cell.className = "cell"
    return cell
  }))
  cells.forEach((line, i) => places[i].after(...line))
  put(panel.chart, "span", { class: "frame" }).style.gridRow = `${row + 2} / ${row + 3}`
  own.drawn = { ...panel, places, cells }
}

function move(own) {
  const { labels, frequencies } = own.data, { places, cells } = own.drawn
  const [back, start, sharp] = ["ago", "start", "sharp"].map((name) => Number(stop(own, name)))
  const placed = own.choice === 0
  const weights = lookBack(frequencies, labels.length, { back, start, sharp, placed: Number(placed) })
  cells.forEach((line, i) => {
    places[i].textContent = placed ? start + i : "–"
    line.forEach((cell, j) => {
      const weight = weights[i][j]
      cell.style.setProperty("--share", `${100 * weight}%`)
      cell.classList.toggle("strong", weight > 0.55)
      cell.classList.toggle("aim", j === i - back)
      cell.textContent = j <= i && labels.length <= NUMBERED ? weight.toFixed(2).replace(/^0/, "") : ""
    })
  })
  const steps = Math.abs(back), way = back ? `${steps} step${steps === 1 ? "" : "s"} ${back < 0 ? "ahead" : "back"}` : "0 steps back"
  const sentence = reached(weights, back, way)
  tellUnder(own.drawn, sentence)
  return [sentence]
}

export default picture({ shape, make, move })
