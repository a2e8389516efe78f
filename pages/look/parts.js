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

/** Give a label its meaning: `labels.js` shows it, and the document hears little of what happens in a component. */
export function explain(label, meaning, attributes = {}) {
  if (!meaning) return
  set(label, { "data-meaning": meaning, ...attributes })
  for (const kind of ["pointerenter", "pointerleave", "focus", "blur", "click"]) label.addEventListener(kind, (event) => {
    if (kind === "click") event.preventDefault()  // it would go on to the field
    window.attentionLabels?.tell?.(event)
  })
}

/** Return a number as Python's `number` writes it: halves go up. Two numbers are equal if they look equal. */
export function shown(value) {
  return (value * (1 + 1e-12)).toFixed(2)
}

/** Return words in quotation marks as Python's `listed` does: a, b and c; of many the first few, and how many more. */
export function listed(words) {
  const quoted = words.map((word) => `“\u2068${word}\u2069”`)
  const kept = quoted.length > 4 ? [...quoted.slice(0, 3), `${quoted.length - 3} more`] : quoted
  return [kept.slice(0, -1).join(", "), kept.at(-1)].filter(Boolean).join(" and ")
}

/** Return a sentence with the values that it names. */
export function fill(sentence, values) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
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
