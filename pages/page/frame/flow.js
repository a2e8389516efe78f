import { drawInRoom, put } from "../../look/parts.js"

const GAP = 10, AIR = 4, HEAD = 3.5  // pixels between columns, between a wire and a picture, of an arrow's head
const states = new WeakMap()  // how the steps are arranged now, by the element that shows them

/** The cells of small pictures, of which one tag has the classes of all. */
function unpacked(picture) {
  const cells = (_, classes) => classes.split(" ").map((one) => `<i class="${one}"></i>`).join("")
  return picture.replace(/<i class="((?:[ws]\d+|masked)(?: (?:[ws]\d+|masked))+)"><\/i>/g, cells)
}

/** Add a column of buttons, one for each step. */
function columnIn(parent, names) {
  const column = put(parent, "div", { class: names.length > 1 ? "column stacked" : "column" })
  for (const name of names) {
    const node = put(column, "button", { type: "button", "data-step": name })
    put(node, "span", { class: "picture", "aria-hidden": "true" })
    put(node, "span", { class: "label" })
  }
}

/** Build the columns, and after them the groups, each in its frame. */
function build(root, columns, groups) {
  root.querySelectorAll(".column,.group,.break").forEach((element) => element.remove())
  columns.forEach((names) => columnIn(root, names))
  for (const [label, inside] of groups) {
    const group = put(root, "div", { class: "group", role: "group", "aria-label": label })
    put(group, "span", { class: "caption" }, label)
    inside.forEach((names) => columnIn(group, names))
  }
}

/** Fill a button with what its step says and shows; the button itself stays, and keeps the focus. */
function fill(node, step, go) {
  const [picture, label] = node.children
  if (node.label !== step.label) label.innerHTML = node.label = step.label
  if (node.picture !== step.picture) picture.innerHTML = unpacked(node.picture = step.picture)
  if (step.current) node.setAttribute("aria-current", "step")
  else node.removeAttribute("aria-current")
  node.setAttribute("aria-disabled", step.disabled)
  node.onclick = () => { if (!step.disabled && !step.current) go(step.name) }
}

const cut = () => Object.assign(document.createElement("div"), { className: "break" })

/** Part the columns into as few rows as they fit into, as even as possible; groups share their row or follow it. */
function arrange(root) {
  root.querySelectorAll(".break").forEach((element) => element.remove())
  const columns = [...root.querySelectorAll(":scope > .column")], room = root.clientWidth
  const groups = [...root.querySelectorAll(".group")]
  const widths = columns.map((column) => Math.max(50, ...[...column.children].map((node) => node.offsetWidth)))
  const total = (row) => row.reduce((sum, width) => sum + width, GAP * (row.length - 1))
  const fits = (each) => columns.every((_, i) => i % each || total(widths.slice(i, i + each)) <= room)
  let rows = 1
  while (rows < columns.length && !fits(Math.ceil(columns.length / rows))) rows++
  const each = Math.ceil(columns.length / rows)
  columns.forEach((column, i) => {
    column.dataset.row = Math.floor(i / each)
    if (i && i % each === 0) column.before(cut())
  })
  const together = rows === 1 && total([...widths, ...groups.map((group) => group.scrollWidth)]) <= room
  let used = columns.length ? Infinity : -GAP  // of the row that groups stand in
  for (const group of together ? [] : groups) {
    if ((used += GAP + group.scrollWidth) > room) { group.before(cut()); used = group.scrollWidth }
  }
}

/** Return the sides of a step: in a stack, where the label stands beside the picture, those of both. */
function sides(node, part, frame) {
  const stacked = node.parentElement.classList.contains("stacked")
  const whole = stacked ? node : node.firstElementChild.firstElementChild
  const { left, right, top, bottom } = (node.querySelector(`[data-part="${part}"]`) ?? whole).getBoundingClientRect()
  return { left: left - frame.left - AIR, right: right - frame.left + AIR, middle: (top + bottom) / 2 - frame.top }
}

/** Draw the wires between steps of one row; where a wire passes columns it runs straight until behind them. */
function wire(root, wires) {
  const svg = root.querySelector("svg"), frame = root.getBoundingClientRect()
  svg.textContent = ""
  for (const names of wires) {
    const [[from_step, from_part], [to_step, to_part]] = names.map((name) => name.split("/"))
    const [start, end] = [from_step, to_step].map((name) => root.querySelector(`[data-step="${name}"]`))
    if (start.parentElement.dataset.row !== end.parentElement.dataset.row) continue
    const from = sides(start, from_part, frame), to = sides(end, to_part, frame)
    const passed = end.parentElement.previousElementSibling
    const bend = passed === start.parentElement ? from.right
      : Math.max(...[...passed.children].map((node) => node.getBoundingClientRect().right - frame.left))
    const half = (bend + to.left) / 2, y = to.middle
    const d = `M${from.right} ${from.middle}H${bend}C${half} ${from.middle},${half} ${y},${to.left} ${y}`
      + `m${-HEAD} ${-HEAD}l${HEAD} ${HEAD}l${-HEAD} ${HEAD}`
    put(svg, "path", { d, class: end.hasAttribute("aria-current") ? "lit" : "" })
  }
}

/** Fill the picture of the whole; a part that is a button leads to its lesson. */
function fillWhole(root, html, go) {
  if (root.html !== html) root.innerHTML = root.html = html
  for (const part of root.querySelectorAll("[data-lesson]")) {
    part.onclick = () => go(part.dataset.lesson)
    part.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(part.dataset.lesson) }
    }
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".flow")
  fillWhole(parentElement.querySelector(".whole"), data.whole, (lesson) => setTriggerValue("lesson", lesson))
  const built = JSON.stringify([data.columns, data.groups])
  if (root.dataset.built !== built) { root.dataset.built = built; build(root, data.columns, data.groups) }
  for (const step of data.steps) {
    fill(root.querySelector(`[data-step="${step.name}"]`), step, (name) => setTriggerValue("step", name))
  }
  if (!states.has(root)) {
    states.set(root, {})
    document.fonts.ready.then(() => states.get(root).draw())
  }
  return drawInRoom(states.get(root), root, () => { arrange(root); wire(root, data.wires) })
}
