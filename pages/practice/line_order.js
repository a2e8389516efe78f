const PAUSE = 350  // ms: moves that follow each other are one
const lists = new WeakMap()

function put(parent, name, attributes, text = "") {
  const element = document.createElement(name)
  for (const key in attributes) element.setAttribute(key, attributes[key])
  element.textContent = text
  parent.append(element)
  return element
}

function order(own) {
  return [...own.list.children].map((item) => Number(item.dataset.line))
}

/** Number the buttons anew, and tell Python of the order once the moving has paused. */
function moved(own, item) {
  const items = [...own.list.children], place = items.indexOf(item)
  items.forEach((one, i) => {
    const [up, down] = one.querySelectorAll("button")
    up.disabled = i === 0
    down.disabled = i === items.length - 1
  })
  if (item) own.said.textContent = `Line ${place + 1} of ${items.length}: ${item.dataset.text}`
  clearTimeout(own.timer)
  own.timer = setTimeout(() => { own.timer = 0; own.told = order(own); own.send("order", own.told) }, PAUSE)
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

/** Let a line follow the pointer: it changes places with the line that the pointer is over. */
function drag(own, item) {
  item.onpointerdown = (event) => {
    if (event.button !== 0 || event.target.closest("button")) return
    item.setPointerCapture(event.pointerId)
    item.classList.add("held")
    own.changed = false
  }
  item.onpointermove = (event) => {
    if (!item.classList.contains("held")) return
    for (const other of own.list.children) {
      const box = other.getBoundingClientRect(), middle = (box.top + box.bottom) / 2
      const after = Boolean(item.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
      if (other === item || !(after ? event.clientY > middle : event.clientY < middle)) continue
      if (after) other.after(item)
      else { other.before(item) }
      own.changed = true
      item.setPointerCapture(event.pointerId)
      if (!after) break
    }
  }
  item.onpointerup = item.onpointercancel = () => {
    item.classList.remove("held")
    if (own.changed) moved(own, item)
    own.changed = false
  }
}

function build(own, lines, places) {
  own.list.replaceChildren()
  for (const line of places) {
    const text = lines[line]
    const item = put(own.list, "li", { tabindex: 0, "data-line": line, "data-text": text.trim(), "aria-label": text.trim() })
    put(item, "code", {}, text)
    const buttons = [["↑", "up", -1], ["↓", "down", 1]].map(([sign, word, by]) => {
      const button = put(item, "button", { type: "button", "aria-label": `Move ${word}: ${text.trim()}` }, sign)
      button.onclick = () => step(own, item, by, button)
      return button
    })
    buttons[0].disabled = line === places[0]
    buttons[1].disabled = line === places[places.length - 1]
    item.onkeydown = (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1 }[event.key]
      if (!by || event.target !== item || event.shiftKey) return
      event.preventDefault()
      step(own, item, by, item)
    }
    drag(own, item)
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  let own = lists.get(parentElement)
  if (!own) {
    own = { list: parentElement.querySelector("ol"), said: parentElement.querySelector(".said"), timer: 0, told: null }
    lists.set(parentElement, own)
  }
  own.send = setTriggerValue
  parentElement.querySelector(".hint").textContent = data.hint
  const same = (a, b) => a && b && a.length === b.length && a.every((one, i) => one === b[i])
  const texts = data.lines.join("\n")
  if (own.texts !== texts) build(own, data.lines, data.order)
  else if (own.told && same(own.told, data.order)) own.told = null  // Python heard; a move since then stands
  else if (!own.told && !same(order(own), data.order) && !own.timer) build(own, data.lines, data.order)
  own.texts = texts
}
