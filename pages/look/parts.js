// What the scripts of all components share.

/** Append an element; inside a picture it is one of its parts. */
export function put(parent, name, attributes = {}, text = "") {
  const drawn = name === "svg" || parent instanceof SVGElement
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name)
  parent.append(element)
  element.textContent = text
  return set(element, attributes)
}

export function set(element, attributes) {
  for (const key in attributes) element.setAttribute(key, attributes[key])
  return element
}

/** Write a text with its symbols as in equations: d_k and W_Q with the letter below. */
export function write(element, text) {
  element.textContent = ""
  text.split(/(?<=\b[dW])_(k|v|model|Q|K|V|O)\b/).forEach((part, i) => {
    if (i % 2) put(element, "sub", {}, part)
    else element.append(part)
  })
  return element
}

/** Return whether a page has set something else than before; what it has heard of is no report on its way any more. */
export function hear(own, setting) {
  const news = own.set !== setting, answered = own.told.indexOf(setting)
  if (answered >= 0) own.told.splice(0, answered + 1)
  else if (news) own.told = []  // not by this hand: a preset, a link
  own.set = setting
  return news
}

/** Draw now, and again when the room has another width; return what ends that. Streamlit calls again for other data. */
export function drawInRoom(own, root, draw) {
  own.draw = () => { own.width = root.clientWidth; draw() }
  own.draw()
  if (!own.watch) {
    own.watch = new ResizeObserver(() => { if (Math.abs(root.clientWidth - own.width) > 1) own.draw() })
    own.watch.observe(root)
  }
  return () => own.watch.disconnect()
}
