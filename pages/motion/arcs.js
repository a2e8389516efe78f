import { drawInRoom, explain, put, set } from "../look/parts.js"

const LEAST = 0.005, NAMED = 0.045  // weights below are not drawn; below the other their number is not written
const GAP = 0.36, SMALLEST = 12.5, LARGEST = 27  // of the font size: between words; pixels
const AIR = 40  // pixels beside the words: not the whole row, so that paper has room for large letters
const states = new WeakMap()  // the sentence in view and the word that asks, by the element that shows them

/** The path of an arc from one word to another, or of a loop over one. */
function arc(from, to, ground, height) {
  if (from === to) {
    const top = ground - 40
    return `M${from - 8} ${ground} C${from - 26} ${top},${from + 26} ${top},${from + 8} ${ground}`
  }
  return `M${from} ${ground} C${from} ${ground - height},${to} ${ground - height},${to} ${ground}`
}

/** Draw the words in a row, and return their middles and the font size. */
function row(svg, words, room) {
  const texts = words.map((word) => put(svg, "text", { class: "word", "font-size": LARGEST, "font-weight": 600 }, word))
  const large = texts.map((text) => text.getComputedTextLength())
  const whole = large.reduce((sum, width) => sum + width, 0) + LARGEST * GAP * (words.length - 1)
  const size = LARGEST * Math.min(1, Math.max(SMALLEST / LARGEST, room / whole))
  const widths = large.map((width) => width * size / LARGEST), total = whole * size / LARGEST
  texts.forEach((text) => text.setAttribute("font-size", size))
  const width = Math.max(Math.min(room, total + 2 * AIR), total)
  let x = (width - total) / 2
  const middles = widths.map((own, i) => {
    texts[i].setAttribute("x", x + own / 2)
    x += own + size * GAP
    return x - size * GAP - own / 2
  })
  return { texts, middles, size, width }
}

/** Return the height of the tallest arc of all words: the sentence stands below it, whichever word asks. */
function tallest(weights, middles) {
  const far = middles.map((from, asks) => middles.map((to, i) => weights[asks][i] >= LEAST ? Math.abs(from - to) : 0))
  return Math.min(190, Math.max(34, 26 + 0.36 * Math.max(...far.flat())))  // 34: a loop with its line
}

function draw(root) {
  const own = states.get(root), { data, asks } = own, { words, weights, sentences } = data
  const focused = root.getRootNode().activeElement?.classList.contains("word")
  root.textContent = ""
  const svg = put(root, "svg", { role: "group", "aria-label": data.label })
  const { texts, middles, size, width } = row(svg, words, root.clientWidth)
  const ground = tallest(weights, middles) + 8, height = ground + size * 2.5
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}` })
  weights[asks].forEach((weight, i) => {
    if (weight < LEAST) return
    const far = Math.abs(middles[i] - middles[asks])
    const d = arc(middles[asks], middles[i], ground, Math.min(ground - 6, 26 + 0.36 * far) * 4 / 3)
    const path = put(svg, "path", { d, class: "arc", "stroke-width": 1 + weight * size * 0.55, opacity: 0.2 + 0.8 * weight })
    path.style.setProperty("--length", path.getTotalLength())
  })
  texts.forEach((text, i) => {
    const weight = weights[asks][i], number = weight >= NAMED ? weight.toFixed(2) : ""
    const says = i === asks ? ["asks", number].filter(Boolean).join(" · ") : number
    const button = { role: "button", tabindex: i === asks ? 0 : -1, "aria-pressed": i === asks, "aria-label": sentences[i] }
    set(text, { y: ground + size * 1.15, ...button })
    text.classList.toggle("asks", i === asks)
    text.style.opacity = i === asks ? 1 : 0.5 + 0.5 * Math.min(1, 2 * weight)
    text.style.fontWeight = i === asks || weight > 0.25 ? 600 : 400
    if (says) {
      const under = put(svg, "text", { y: ground + size * 2.2, class: i === asks ? "number asks" : "number" }, says)
      const half = under.getComputedTextLength() / 2
      explain(under, data.meanings[i === asks ? 0 : 1])
      under.setAttribute("x", Math.min(Math.max(middles[i], half), width - half))
      text.under = under
    }
    text.onmousemove = () => ask(root, i)  // a word drawn anew under a pointer at rest was not pointed at
    text.onclick = () => { ask(root, i, true); own.pick(i) }
    text.onfocus = () => ask(root, i)
    text.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); own.pick(i) }
      if (step && words[i + step] !== undefined) { event.preventDefault(); ask(root, i + step, true) }
    }
  })
  const mine = texts[asks].under, meets = ({ under } = {}) => under && Math.abs(under.getAttribute("x") - mine.getAttribute("x"))
    < (under.getComputedTextLength() + mine.getComputedTextLength()) / 2 + 4
  if (meets(texts[asks - 1]) || meets(texts[asks + 1])) mine.textContent = mine.textContent.replace(/asks( · )?/, "")
  put(svg, "g", {}).append(...texts)  // over the arcs
  if (focused) texts[asks].focus({ preventScroll: true })
  const told = root.parentElement.querySelector(".told")
  if (own.fitted !== own.width) {  // as many lines as the longest sentence needs
    own.fitted = own.width
    told.style.minHeight = ""
    told.style.minHeight = `${Math.max(...sentences.map((text) => { told.textContent = text; return told.offsetHeight }))}px`
  }
  if (told.textContent !== sentences[asks]) told.textContent = sentences[asks]
}

/** Let a word ask. */
function ask(root, i, focus = false) {
  const own = states.get(root)
  if (i === own.asks) return
  own.asks = i
  draw(root)
  if (focus) root.querySelector(".word.asks").focus({ preventScroll: true })
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".arcs")
  if (!states.has(root)) states.set(root, {})
  const own = states.get(root), shown = JSON.stringify([data.words, data.asks])
  if (own.shown !== shown) own.asks = data.asks
  Object.assign(own, { data, shown, fitted: null, pick: (i) => { if (data.tells && i !== data.asks) setTriggerValue("picked", i) } })
  return drawInRoom(own, root, () => draw(root))
}
