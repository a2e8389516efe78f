const TINTS = 4  // of merged pieces; a piece has the same one wherever it stands
const BEFORE = 3, AFTER = 4  // merges in the list
const WIDE = 400, HIGH = 210, LEFT = 34, RIGHT = 112, TOP = 12, BOTTOM = 38  // of the chart and its margins
const many = (count, what) => `${count.toLocaleString("en")} ${what}${count === 1 ? "" : "s"}`

/** Return the pieces after so many merges: where they start and stop, their ids, and the merge that made each (0: none). */
function cutInto({ ids, joined, first }, merges) {
  const pieces = []
  let start = 0, by = 0
  ids.forEach((id, i) => {
    if (i < joined.length && joined[i] <= merges) { by = Math.max(by, joined[i]); return }
    pieces.push({ start, stop: i + 1, by, id: by ? first - 1 + by : ids[start] })
    start = i + 1
    by = 0
  })
  return pieces
}

/** Return what is shown of some bytes: characters, and of a part of a character its bytes. */
function shownOf(own, start, stop) {
  const text = []
  for (let i = start; i < stop;) {
    const { from, to, shown, bytes } = own.at_byte[i]
    const complete = from >= start && to <= stop
    text.push(complete ? shown : bytes[i - from])
    i = complete ? to : i + 1
  }
  return text.join("")
}

function shape({ characters, joined, merges, lines }) {
  return [characters, joined, merges.length, merges[0], lines.map(({ name }) => name)]
}

function make(own) {
  const { characters } = own.data
  own.at_byte = characters.flatMap(([shown, bytes]) => bytes.map(() => ({ shown, bytes })))
  let from = 0
  for (const [, bytes] of characters) {
    bytes.forEach((_, i) => Object.assign(own.at_byte[from + i], { from, to: from + bytes.length }))
    from += bytes.length
  }
  const whole = panelIn(own.panels, "Your text in tokens, each with its id")
  const list = panelIn(own.panels, "Merges, in the order in which they were learned")
  const lines = panelIn(own.panels, "Tokens per 100 bytes, by size of the vocabulary")
  whole.chart.parentElement.classList.add("wide")
  whole.chart.classList.add("pieces")
  const jumps = document.createElement("div")
  jumps.className = "jumps"
  whole.title.after(jumps)
  own.jumps = [["‹ Previous merge here", -1], ["Next merge here ›", 1]].map(([text, way]) => {
    const button = put(jumps, "button", { type: "button" }, text)
    button.onclick = () => jump(own, way)
    return { button, way }
  })
  own.drawn = { whole, list: { ...list, rows: rowsIn(list.chart) }, lines: { ...lines, ...linesIn(lines.chart, own.data) } }
  own.tall = 0
}

/** Return the nearest merge before or after the one in view that joins something in this text. */
function nearest({ joined, merges }, at, way) {
  const here = joined.filter((merge) => merge <= merges.length && (way > 0 ? merge > at : merge < at))
  if (!here.length) return way < 0 && at > 0 ? 0 : null
  return way > 0 ? Math.min(...here) : Math.max(...here)
}

function jump(own, way) {
  const to = nearest(own.data, own.at.merges, way)
  if (to === null) return
  own.at.merges = to
  own.moved.add("merges")
  show(own)
  tell(own)
}

function rowsIn(chart) {
  const table = put(chart, "div", { class: "merges" })
  return Array.from({ length: BEFORE + 1 + AFTER }, () => {
    const row = put(table, "div", { class: "merge" })
    return { row, parts: ["order", "pair", "times", "here"].map((name) => put(row, "span", { class: name })) }
  })
}

/** Build the chart of lengths: axes, a line for each text, and a dot on each where the slider stands. */
function linesIn(chart, { lines, merges, first }) {
  const svg = svgIn(chart, "svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "lengths" })
  const x = (merge) => LEFT + (merges.length ? merge / merges.length : 0) * (WIDE - LEFT - RIGHT)
  const y = (value) => TOP + (1 - value / 100) * (HIGH - TOP - BOTTOM)
  for (const value of [0, 25, 50, 75, 100]) {
    svgIn(svg, "line", { class: "grid", x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value) })
    svgIn(svg, "text", { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, String(value))
  }
  for (const merge of new Set([0, Math.round(merges.length / 2), merges.length])) {
    const size = (first + merge).toLocaleString("en")
    svgIn(svg, "text", { class: "tick", x: x(merge), y: HIGH - BOTTOM + 16, "text-anchor": "middle" }, size)
  }
  const middle = (LEFT + WIDE - RIGHT) / 2
  svgIn(svg, "text", { class: "tick", x: middle, y: HIGH - 5, "text-anchor": "middle" }, "size of the vocabulary")
  const rule = svgIn(svg, "line", { class: "rule", y1: TOP, y2: HIGH - BOTTOM })
  const built = lines.map(({ values }, i) => {
    const points = values.map((value, merge) => `${x(merge).toFixed(1)},${y(value).toFixed(1)}`).join(" ")
    svgIn(svg, "polyline", { class: `line${i}`, points })
    return { dot: svgIn(svg, "circle", { class: `dot${i}`, r: 4.5 }), name: svgIn(svg, "text", { class: `name${i}` }) }
  })
  const ends = lines.map(({ values }) => y(values.at(-1)))
  if (ends.length > 1 && Math.abs(ends[0] - ends[1]) < 16) {  // names must not cover each other
    const half = (16 - Math.abs(ends[0] - ends[1])) / 2, up = ends[0] <= ends[1] ? 0 : 1
    ends[up] -= half
    ends[1 - up] += half
  }
  built.forEach(({ name }, i) => { name.setAttribute("x", WIDE - RIGHT + 8); name.setAttribute("y", ends[i] + 4) })
  return { x, y, rule, built }
}

function move(own) {
  const { data, drawn } = own, at = Number(stop(own, "merges"))
  const pieces = cutInto(data, at), fresh = pieces.filter(({ by }) => by && by === at).length
  own.jumps.forEach(({ button, way }) => {
    button.disabled = data.sliders[0].disabled || nearest(data, at, way) === null
  })
  movePieces(own, drawn.whole, pieces, at)
  moveRows(drawn.list.rows, data, at)
  moveLines(drawn.lines, data, at)
  const sentences = [ofText(data, pieces, at), ofMerge(data, at, fresh), ofLines(data, at)]
  const panels = [drawn.whole, drawn.list, drawn.lines]
  panels.forEach(({ told, chart }, i) => {  // words of a student may look like symbols: they are text
    told.textContent = sentences[i]
    chart.setAttribute("aria-label", i ? sentences[i] : `${sentences[0]} ${pieces.map((one) => shownOf(own, one.start, one.stop)).join(" | ")}`)
  })
  return sentences.slice(0, 2)
}

function movePieces(own, { chart }, pieces, at) {
  const built = pieces.map(({ start, stop, by, id }) => {
    const piece = document.createElement("span")
    piece.className = `piece ${by ? `tint${id % TINTS}` : "byte"}${by && by === at ? " fresh" : ""}`
    const shown = shownOf(own, start, stop)
    if (shown.includes("<0x")) piece.classList.add("partial")
    for (const [name, text] of [["b", shown], ["i", id.toLocaleString("en")]]) {
      piece.appendChild(document.createElement(name)).textContent = text
    }
    return piece
  })
  chart.replaceChildren(...built)
  own.tall = own.width === chart.offsetWidth ? Math.max(own.tall, chart.offsetHeight) : 0  // what is below stays in place
  own.width = chart.offsetWidth
  chart.style.minHeight = own.tall ? `${own.tall}px` : ""
}

function moveRows(rows, { merges, joined }, at) {
  const start = Math.max(1, Math.min(at - BEFORE, merges.length - rows.length + 1))
  rows.forEach(({ row, parts: [order, pair, times, here] }, i) => {
    const merge = start + i, found = merges[merge - 1]
    row.hidden = !found
    if (!found) return
    const [left, right, piece, count] = found, n_here = joined.filter((by) => by === merge).length
    row.className = `merge${merge === at ? " current" : merge > at ? " ahead" : ""}`
    order.textContent = merge
    pair.replaceChildren(...[["b", left], ["", " + "], ["b", right], ["", " → "], ["b", piece]].map(([name, text]) => {
      const part = document.createElement(name || "span")
      part.textContent = text
      return part
    }))
    times.textContent = `${count.toLocaleString("en")} ×`
    here.textContent = n_here ? `${n_here} here` : ""
  })
}

function moveLines({ x, y, rule, built }, { lines }, at) {
  rule.setAttribute("x1", x(at))
  rule.setAttribute("x2", x(at))
  built.forEach(({ dot, name }, i) => {
    const { values, name: called } = lines[i]
    dot.setAttribute("cx", x(at))
    dot.setAttribute("cy", y(values[at]))
    name.textContent = `${called} ${Math.round(values[at])}`
  })
}

function ofText({ ids, first }, pieces, at) {
  const each = pieces.length ? (ids.length / pieces.length).toFixed(2) : "0"
  return `After ${many(at, "merge")}: ${many(pieces.length, "token")} for ${many(ids.length, "byte")}, ` +
    `${each} bytes per token. The vocabulary has ${(first + at).toLocaleString("en")} tokens.`
}

function ofMerge({ merges }, at, fresh) {
  if (!merges.length) return "No pair occurs twice in this text, so nothing is merged."
  if (!at) return "Before the first merge, each byte is a token."
  const [left, right, piece, count] = merges[at - 1]
  return `Merge ${at} joins “${left}” and “${right}” into “${piece}”. The pair occurred ${many(count, "time")} in the ` +
    `training text. It made ${many(fresh, "token")} here.`
}

function ofLines({ lines }, at) {
  return `${lines.map(({ name, values }) => `${name}: ${values[at].toFixed(0)}`).join(", ")} tokens per 100 bytes.`
}
