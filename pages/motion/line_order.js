import { hear, put } from "../look/parts.js"

const PAUSE = 350  // ms: moves that follow each other are one
const lists = new WeakMap()

function itemsOf(own) {
  return [...own.list.children]
}

function order(own) {
  return itemsOf(own).map((item) => Number(item.dataset.line))
}

/** Set the buttons anew, and tell Python of the order once the moving has paused, or is over. */
function moved(own, item) {
  const items = itemsOf(own), place = items.indexOf(item)
  items.forEach((one, i) => {
    const [up, down] = one.querySelectorAll("button")
    if (!up) return
    up.disabled = i === 0
    down.disabled = i === items.length - 1
  })
  own.said.textContent = `${own.data.row ? "Word" : "Line"} ${place + 1} of ${items.length}: ${item.dataset.text}`
  clearTimeout(own.timer)
  own.timer = setTimeout(() => tell(own), PAUSE)
}

/** Tell Python of a move that it has not heard of, at once: what is pressed next may be about it. */
function tell(own) {
  if (!own.timer) return
  clearTimeout(own.timer)
  own.timer = 0
  own.told.push(JSON.stringify(order(own)))
  own.send("order", order(own))
}

function step(own, item, by, focus) {
  const other = by < 0 ? item.previousElementSibling : item.nextElementSibling
  if (!other) return
  if (by < 0) other.before(item)
  else other.after(item)
  moved(own, item)
  focus.focus()
  if (focus.disabled) item.focus()
}

function isOver(other, { clientX, clientY }) {
  const box = other.getBoundingClientRect()
  return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom
}

/** Let a line change places with those that the pointer passes; a word with those that it is over. */
function pass(own, item, event) {
  for (const other of itemsOf(own)) {
    if (other === item || (own.data.row && !isOver(other, event))) continue
    const box = other.getBoundingClientRect()
    const [at, middle] = own.data.row ? [event.clientX, box.left + box.width / 2] : [event.clientY, box.top + box.height / 2]
    const after = Boolean(item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
    if (after ? at <= middle : at >= middle) continue
    if (after) other.after(item)
    else other.before(item)
    own.changed = true
    item.setPointerCapture(event.pointerId)
    if (!after) break
  }
}

/** Let a line follow the pointer. */
function drag(own, item) {
  item.onpointerdown = (event) => {
    if (event.button !== 0 || event.target.closest("button")) return
    item.setPointerCapture(event.pointerId)
    item.classList.add("held")
    own.changed = false
  }
  item.onpointermove = (event) => {
    if (item.classList.contains("held")) pass(own, item, event)
  }
  item.onpointerup = item.onpointercancel = () => {
    item.classList.remove("held")
    if (own.changed) moved(own, item)
    own.changed = false
    tell(own)
  }
}

function build(own, { lines, order: places, row, fixed }) {
  own.list.replaceChildren()
  own.list.className = row ? "row" : ""
  for (const line of places) {
    const text = lines[line].trim()
    const item = put(own.list, "li", { "data-line": line, "data-text": text })
    put(item, row ? "span" : "code", {}, lines[line])
    if (fixed) continue
    item.tabIndex = 0
    item.setAttribute("aria-label", text)
    if (!row) buttonsOf(own, item, text)
    const keys = row ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 }
    item.onkeydown = (event) => {
      const by = keys[event.key]
      if (!by || event.target !== item || event.shiftKey) return
      event.preventDefault()
      step(own, item, by, item)
    }
    drag(own, item)
  }
  own.list.querySelector("button")?.setAttribute("disabled", "")
  itemsOf(own).at(-1)?.querySelector("button:last-child")?.setAttribute("disabled", "")
}

function buttonsOf(own, item, text) {
  for (const [sign, word, by] of [["↑", "up", -1], ["↓", "down", 1]]) {
    const button = put(item, "button", { type: "button", "aria-label": `Move ${word}: ${text}` }, sign)
    button.onclick = () => step(own, item, by, button)
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let own = lists.get(parentElement)
  if (!own) {
    own = { list: parentElement.querySelector("ol"), said: parentElement.querySelector(".said"), timer: 0, told: [] }
    own.list.addEventListener("focusout", ({ relatedTarget }) => own.list.contains(relatedTarget) || tell(own))
    lists.set(parentElement, own)
  }
  own.data = data
  own.send = setTriggerValue
  parentElement.querySelector(".hint").textContent = data.fixed ? "" : data.hint
  hear(own, JSON.stringify(data.order))  // a move that Python has not heard of stands
  const built = JSON.stringify([data.lines, data.fixed])
  const moving = own.timer || own.told.length || own.list.querySelector(".held")
  if (own.built !== built) build(own, data)
  else if (!moving && JSON.stringify(order(own)) !== own.set) build(own, data)
  own.built = built
  itemsOf(own).forEach((item) => item.classList.toggle("lit", Boolean(data.lit?.includes(Number(item.dataset.line)))))
}
