// What all pictures with sliders share.
import { explain, hear, put, shown, write } from "../look/parts.js"

const states = new WeakMap()  // where sliders and choice stand, by the element that shows them
const PAUSE = 400  // ms: keys that follow each other within it are one move

/** Build a panel with a title, a picture and the sentence under it. */
export function panelIn(panels, title = "") {
  const panel = put(panels, "div", { class: "panel" })
  return {
    title: write(put(panel, "div", { class: "title" }), title),
    chart: put(panel, "div", { class: "chart", role: "img" }),
    told: put(panel, "div", { class: "told" }),
  }
}

export function tellUnder({ chart, told }, sentence) {
  write(told, sentence)
  chart.setAttribute("aria-label", sentence)
}

/** Build a row for each bar. */
export function barsIn(chart, labels, marked = null) {
  return labels.map((label, i) => {
    const row = put(chart, "div", { class: i === marked ? "row marked" : "row" })
    write(put(row, "span", { class: "label" }), label)
    const bar = put(put(row, "span", { class: "track" }), "i")
    return { row, bar, number: put(row, "span", { class: "number" }) }
  })
}

export function setBar({ bar, number }, share) {
  bar.style.width = `${100 * share}%`
  number.textContent = share === null ? "" : shown(share)  // null: not there yet
}

export function stop(own, name) {
  return own.data.sliders.find((slider) => slider.name === name).stops[own.at[name]]
}

function buildFields(own) {
  const { data: { sliders, choice }, fields } = own
  fields.textContent = ""
  own.ranges = sliders.map((slider) => {
    const line = put(fields, "label", { class: "slider" })
    line.hidden = slider.hidden
    explain(write(put(line, "span", { class: "name" }), slider.label), slider.meaning, { tabindex: 0 })
    const value = put(line, "output")
    const range = put(line, "input", { type: "range", min: 0, max: slider.stops.length - 1, step: 1, "data-name": slider.name })
    range.oninput = () => { own.dragged = true; own.at[slider.name] = Number(range.value); show(own) }
    range.onchange = () => { own.dragged = false; rest(own, slider.name) }
    range.onkeydown = (event) => key(own, slider.name, event)
    return { range, value }
  })
  own.radios = []
  if (!choice) return
  const group = put(fields, "fieldset")
  group.hidden = choice.hidden
  explain(write(put(group, "legend"), choice.label), choice.meaning, { tabindex: 0 })
  own.radios = choice.options.map((option, i) => {
    const label = put(group, "label")
    const radio = put(label, "input", { type: "radio", name: "choice" })
    write(put(label, "span"), option)
    radio.onchange = () => { own.choice = i; own.moved.add(choice.name); show(own); tell(own) }
    return radio
  })
}

/** Show the picture where the sliders stand. */
function show(own) {
  const { sliders, choice } = own.data
  own.sentences = own.move(own)
  own.ranges.forEach(({ range, value }, i) => {
    const { name, stops, disabled } = sliders[i]
    const said = stops[own.at[name]].replace(/^-/, "−")
    range.value = own.at[name]
    range.disabled = disabled
    range.setAttribute("aria-valuetext", said)
    value.textContent = said
  })
  own.radios.forEach((radio, i) => { radio.checked = i === own.choice; radio.disabled = choice.disabled })
}

/** Let a slider rest on the nearest stop where it can, and say so. */
function rest(own, name) {
  const { rests } = own.data.sliders.find((slider) => slider.name === name), at = own.at[name]
  own.at[name] = rests.reduce((best, i) => Math.abs(i - at) < Math.abs(best - at) ? i : best)
  own.moved.add(name)
  show(own)
  tell(own)
}

function key(own, name, event) {
  const { rests } = own.data.sliders.find((slider) => slider.name === name), at = own.at[name]
  const up = rests.find((i) => i > at), down = rests.findLast((i) => i < at)
  const to = { ArrowRight: up, ArrowUp: up, ArrowLeft: down, ArrowDown: down, Home: rests[0], End: rests.at(-1) }
  if (event.shiftKey || !(event.key in to)) return
  event.preventDefault()
  event.stopPropagation()
  if (to[event.key] === undefined) return
  own.at[name] = to[event.key]
  own.moved.add(name)
  show(own)
  clearTimeout(own.timer)
  own.timer = setTimeout(() => tell(own), PAUSE)
}

/** Return where sliders and choice stand, as one text. */
function standing(sliders, at, choice) {
  return JSON.stringify([sliders.map(({ name }) => [name, at[name]]), choice])
}

/** Report what stands elsewhere than the page knows, to it and to a screen reader: a report may overtake another. */
function tell(own) {
  clearTimeout(own.timer)
  own.timer = null
  const { sliders, choice } = own.data
  const moved = sliders.filter(({ name, at }) => own.moved.has(name) || own.at[name] !== at)
  const words = moved.map(({ name }) => [name, stop(own, name)])
  if (choice && (own.moved.has(choice.name) || own.choice !== choice.at)) words.push([choice.name, choice.options[own.choice]])
  own.moved.clear()
  own.told.push(standing(sliders, own.at, own.choice))
  own.status.textContent = own.sentences.join(" ")
  own.send("moved", Object.fromEntries(words))
}

/** Return the component of a picture: `shape` says what it is built for, `make` builds it, and `move` moves it to where
 * the sliders stand and returns its sentences. */
export function picture({ shape, make, move }) {
  return ({ data, parentElement, setTriggerValue }) => {
    const own = states.get(parentElement) ?? { moved: new Set(), told: [], move }
    states.set(parentElement, own)
    own.data = data
    own.send = setTriggerValue
    for (const part of ["fields", "panels", "status"]) own[part] = parentElement.querySelector(`.${part}`)
    const known = Object.fromEntries(data.sliders.map(({ name, at }) => [name, at]))
    const news = hear(own, standing(data.sliders, known, data.choice?.at))
    const moving = own.dragged || own.timer || own.told.length  // an answer to an earlier report takes nothing back
    const fits = data.sliders.every(({ name, stops }) => own.at?.[name] < stops.length)
    if (!fits || (news && !moving)) {
      own.at = known
      own.choice = data.choice?.at
    }
    const fields = JSON.stringify([data.sliders.map(({ name, label, stops }) => [name, label, stops]), data.choice?.options])
    if (own.built !== fields || !own.fields.firstChild) { own.built = fields; buildFields(own) }
    const pictured = JSON.stringify(shape(data))
    if (own.pictured !== pictured || !own.panels.firstChild) {
      own.pictured = pictured
      own.panels.textContent = ""
      make(own)
    }
    show(own)
  }
}
