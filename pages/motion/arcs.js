const SVG = "http://www.w3.org/2000/svg"
const LEAST = 0.005, NAMED = 0.045  // weights below are not drawn; below the other their number is not written
const TIP = 7  // pixels: how long the tip of an arrow is
const GAP = 0.36, SMALLEST = 12.5, LARGEST = 27  // of the font size: between words; pixels
const AIR = 40  // pixels beside the words: not the whole row, so that paper has room for large letters
const chosen = new WeakMap()  // the word that asks, by the element that shows it

function put(parent, name, attributes, text = "") {
  const element = document.createElementNS(SVG, name)
  for (const key in attributes) element.setAttribute(key, attributes[key])
  element.textContent = text
  parent.append(element)
  return element
}

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

function draw(root, data, ask, pick) {
  const { words, weights, sentences, cut } = data, asks = chosen.get(root)
  const numberOf = (i) => data.numbers ? data.numbers[asks][i] : weights[asks][i] >= NAMED ? weights[asks][i].toFixed(2) : ""
  const isDrawn = (i) => data.numbers ? data.numbers[asks][i] || cut[asks][i] : weights[asks][i] >= LEAST
  const focused = root.getRootNode().activeElement?.classList.contains("word")
  root.textContent = ""
  const svg = put(root, "svg", { role: "group", "aria-label": data.label })
  const { texts, middles, size, width } = row(svg, words, root.clientWidth)
  const furthest = Math.max(...middles.map((middle) => Math.abs(middle - middles[asks])))
  const ground = Math.min(190, 26 + 0.36 * furthest) + 8
  const height = ground + size * 2.5
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value)
  weights[asks].forEach((weight, i) => {
    if (!isDrawn(i)) return
    const isCut = Boolean(cut?.[asks][i]), wide = cut ? (i === asks ? 3 : 6) : size * 0.55
    const far = Math.abs(middles[i] - middles[asks])
    const d = arc(middles[asks], middles[i], ground, Math.min(ground - 6, 26 + 0.36 * far) * 4 / 3)
    const look = isCut ? { class: "arc cut" } : { class: "arc", "stroke-width": 1 + weight * wide, opacity: 0.2 + 0.8 * weight }
    const path = put(svg, "path", { d, ...look })
    path.style.setProperty("--length", path.getTotalLength())
    if (cut) put(svg, "path", { d: `M${middles[i] + (i === asks ? 8 : 0)} ${ground + TIP}l-5 ${-TIP}h10z`, class: isCut ? "tip cut" : "tip" })
  })
  texts.forEach((text, i) => {
    const weight = weights[asks][i], number = numberOf(i)
    text.setAttribute("y", ground + size * 1.15)
    text.setAttribute("tabindex", i === asks ? 0 : -1)
    text.setAttribute("role", "button")
    text.setAttribute("aria-pressed", i === asks)
    text.setAttribute("aria-label", sentences[i])
    text.classList.toggle("asks", i === asks)
    text.style.opacity = i === asks ? 1 : 0.5 + 0.5 * Math.min(1, 2 * weight)
    text.style.fontWeight = i === asks || weight > 0.25 ? 600 : 400
    const says = i === asks && !cut ? ["asks", number].filter(Boolean).join(" · ") : number
    if (says) {
      const under = put(svg, "text", { y: ground + size * 2.2, class: i === asks ? "number asks" : "number" }, says)
      const half = under.getComputedTextLength() / 2
      under.setAttribute("x", Math.min(Math.max(middles[i], half), width - half))
    }
    text.onmouseenter = () => ask(i)
    text.onclick = () => { ask(i, true); pick(i) }
    text.onfocus = () => ask(i)
    text.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(i) }
      if (step && words[i + step] !== undefined) { event.preventDefault(); ask(i + step, true) }
    }
  })
  put(svg, "g", {}).append(...texts)  // over the arcs
  if (focused) texts[asks].focus({ preventScroll: true })
  const told = root.parentElement.querySelector(".told")
  if (told.textContent !== sentences[asks]) told.textContent = sentences[asks]
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".arcs")
  root.classList.toggle("changes", Boolean(data.cut))
  const pick = (i) => { if (data.tells && i !== data.asks) setTriggerValue("picked", i) }
  const ask = (i, focus = false) => {
    if (i === chosen.get(root)) return
    chosen.set(root, i)
    draw(root, data, ask, pick)
    if (focus) root.querySelector(".word.asks").focus({ preventScroll: true })
  }
  const shown = JSON.stringify([data.words, data.asks])
  if (root.dataset.shown !== shown) { root.dataset.shown = shown; chosen.set(root, data.asks) }
  draw(root, data, ask, pick)
  let width = root.clientWidth
  const watch = new ResizeObserver(() => {
    if (Math.abs(root.clientWidth - width) > 1) { width = root.clientWidth; draw(root, data, ask, pick) }
  })
  watch.observe(root)
  return () => watch.disconnect()
}
