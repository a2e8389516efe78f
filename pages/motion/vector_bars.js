const CLEARLY = 1e-9  // by so much one product must be larger: less is rounding
const PAUSE = 400  // ms: keys that follow each other are one move
const states = new WeakMap()  // the vectors in view, by the element that shows them

/** The dot product of two vectors, their lengths (norms), and the cosine of the angle between them. */
export function product(a, b) {
  const dot = (u, v) => u.reduce((sum, value, i) => sum + value * v[i], 0)
  const lengths = [a, b].map((vector) => Math.sqrt(dot(vector, vector)))
  const both = lengths[0] * lengths[1]
  return { dot: dot(a, b), lengths, cos: both > 0 ? dot(a, b) / both : 0 }
}

/** A number as the course writes it: two digits, a true minus, no minus before zero. */
function written(value) {
  const text = value.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  return /[1-9]/.test(text) ? text.replace("-", "−") : text.replace("-", "")
}

function put(parent, name, attributes = {}, text = "") {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key])
  element.textContent = text
  parent.append(element)
  return element
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/** Let a bar reach from zero to a value. */
function stretch(bar, value, limit) {
  const share = 50 * Math.min(1, Math.abs(value) / limit)
  bar.style.left = `${value < 0 ? 50 - share : 50}%`
  bar.style.width = `${share}%`
  bar.classList.toggle("minus", value < 0)
}

/** Build the sliders, a line for each product and one for each task; `show` only moves and writes. */
function build(own) {
  const { names, vectors, pairs, tasks, locked } = own.data
  for (const part of [own.vectors, own.products, own.tasks]) part.textContent = ""
  own.drawn = vectors.map((vector, i) => {
    const group = put(own.vectors, "div", { class: locked[i] ? "vector locked" : "vector", role: "group", "aria-label": `Vector of ${names[i]}` })
    const title = put(group, "div", { class: "title" })
    put(title, "b", {}, names[i])
    const length = put(title, "span", { class: "soft" })
    const rows = vector.map((_, entry) => {
      const row = put(group, "div", { class: "row" })
      put(row, "span", { class: "soft" }, entry + 1)
      const track = put(row, "div", { class: "track", role: "slider", tabindex: locked[i] ? -1 : 0, "aria-label": `${names[i]}, entry ${entry + 1}`, "aria-disabled": locked[i] })
      listen(own, track, i, entry)
      return { track, bar: put(track, "i"), grip: put(track, "u"), number: put(row, "span", { class: "number" }) }
    })
    const scale = put(group, "div", { class: "scale soft", "aria-hidden": true })
    return { length, rows, ends: [0, 1, 2].map(() => put(scale, "span")) }
  })
  put(own.products, "div", { class: "soft head" }, "dot product = length × length × cos of the angle")
  own.lines = pairs.map(([i, j]) => {
    const line = put(own.products, "div", { class: "line" })
    put(line, "b", {}, `${names[i]} · ${names[j]}`)
    const track = put(line, "div", { class: "track" })
    return { bar: put(track, "i"), parts: put(line, "span", { class: "soft parts" }), number: put(line, "b", { class: "number" }) }
  })
  own.checks = tasks.map((task) => {
    const item = put(own.tasks, "li")
    put(item, "span", {}, `${task.text} `)
    return { item, mark: put(item, "b", { role: "status" }), told: put(item, "span", { class: "soft" }) }
  })
}

/** Show the vectors as they stand, their products, and which tasks are done. */
function show(own) {
  const { names, limit, pairs, tasks } = own.data
  const at = ([i, j]) => product(own.values[i], own.values[j])
  own.drawn.forEach(({ length, rows, ends }, i) => {
    write(length, `length ${written(at([i, i]).lengths[0])}`)
    ends.forEach((end, place) => write(end, String((place - 1) * limit).replace("-", "−")))
    rows.forEach(({ track, bar, grip, number }, entry) => {
      const value = own.values[i][entry]
      stretch(bar, value, limit)
      grip.style.left = `${50 + 50 * value / limit}%`
      write(number, written(value))
      for (const [key, word] of Object.entries({ valuemin: -limit, valuemax: limit, valuenow: value, valuetext: written(value) })) track.setAttribute(`aria-${key}`, word)
    })
  })
  pairs.map(at).forEach(({ dot, lengths, cos }, i) => {
    const { bar, parts, number } = own.lines[i]
    stretch(bar, dot, own.data.product_limit)  // a scale that rests while a bar is dragged
    write(parts, `${lengths.map(written).join(" × ")} × ${written(cos)} = `)
    write(number, written(dot))
    number.dataset.value = dot
  })
  tasks.forEach((task, i) => {
    const { item, mark, told } = own.checks[i], { lengths, cos } = at(task.larger)
    const done = at(task.larger).dot > at(task.smaller).dot + CLEARLY
    const [first, second] = task.larger.map((place) => names[place])
    item.classList.toggle("done", done)
    write(mark, done ? "Done." : "Not yet.")
    const [long, short] = lengths.map(written)
    write(told, done && task.lengths ? ` Length did it: ${first} has ${long}, ${second} ${short}. Their cos is ${written(cos)}, of ${second} with itself 1.00.` : "")
  })
}

/** Let a bar be dragged by pointer or finger, and moved by keys. */
function listen(own, track, i, entry) {
  const set = (value) => {
    const { limit, step } = own.data
    const snapped = Number((Math.round(value / step) * step).toFixed(1))
    own.values[i][entry] = Math.max(-limit, Math.min(limit, snapped))
    show(own)
  }
  const follow = (event) => {
    const { left, width } = track.getBoundingClientRect()
    set(((event.clientX - left) / width * 2 - 1) * own.data.limit)
  }
  track.onpointerdown = (event) => {
    if (own.data.locked[i] || event.button || own.busy) return
    own.busy = true
    own.before = own.values[i][entry]
    track.setPointerCapture(event.pointerId)
    track.onpointermove = follow
    follow(event)
  }
  const stop = (keep) => () => {
    if (!track.onpointermove) return
    track.onpointermove = null
    own.busy = false
    if (keep) return tell(own)
    own.values[i][entry] = own.before  // the finger scrolls the page
    show(own)
  }
  track.onpointerup = stop(true)
  track.onpointercancel = stop(false)
  track.onkeydown = (event) => {
    const { limit, step } = own.data, value = own.values[i][entry]
    const to = {
      ArrowRight: value + step, ArrowUp: value + step, ArrowLeft: value - step, ArrowDown: value - step,
      PageUp: value + 5 * step, PageDown: value - 5 * step, Home: -limit, End: limit,
    }
    if (own.data.locked[i] || event.shiftKey || !(event.key in to)) return
    event.preventDefault()
    event.stopPropagation()
    set(to[event.key])
    clearTimeout(own.timer)
    own.timer = setTimeout(() => tell(own), PAUSE)
  }
}

/** Report every vector that stands elsewhere than the page knows: a report may come before the one before is read. */
function tell(own) {
  clearTimeout(own.timer)
  own.timer = 0
  const { names, vectors } = own.data
  const moved = names.flatMap((name, i) => String(own.values[i]) === String(vectors[i]) ? [] : [[name, own.values[i]]])
  if (!moved.length) return
  own.told.push(JSON.stringify(own.values))
  own.send("moved", Object.fromEntries(moved))
}

export default function ({ data, parentElement, setTriggerValue }) {
  const own = states.get(parentElement) ?? { told: [] }
  states.set(parentElement, own)
  own.data = data
  own.send = setTriggerValue
  for (const part of ["vectors", "products", "tasks"]) own[part] = parentElement.querySelector(`.${part}`)
  const built = JSON.stringify([data.names, data.vectors[0].length, data.pairs, data.tasks, data.locked])
  const set = JSON.stringify(data.vectors)
  const answered = own.told.indexOf(set)
  if (answered >= 0) own.told.splice(0, answered + 1)
  else if (own.set !== set) own.told = []  // not by this hand: a preset, a link
  const moving = own.busy || own.timer || own.told.length  // an answer to an earlier report takes nothing back
  if (own.built !== built || (own.set !== set && !moving)) own.values = data.vectors.map((vector) => [...vector])
  own.set = set
  if (own.built !== built || !own.vectors.firstChild) { own.built = built; build(own) }
  show(own)
}
