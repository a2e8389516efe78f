import { put, set, write } from "../look/parts.js"

const states = new WeakMap()  // the buttons by the words of their cells, and which was pressed, by their root

function build(own, { grids }) {
  own.root.replaceChildren()
  own.buttons = new Map()
  for (const { name, title, values, slopes, rows, columns } of grids) {
    const figure = put(own.root, "figure"), across = values[0].length
    write(put(figure, "figcaption"), title)
    const grid = put(figure, "div", { style: `grid-template-columns:${rows.length ? "auto " : ""}repeat(${across},42px)` })
    if (rows.length && columns.length) put(grid, "i")
    for (const column of columns) put(grid, "i", {}, column)
    values.forEach((row, i) => {
      if (rows.length) put(grid, "i", { class: "row" }, rows[i])
      row.forEach((value, j) => {
        const cell = `${name} ${i} ${j}`, place = `${title}, ${rows[i] ?? i + 1}, ${columns[j] ?? j + 1}`
        const button = put(grid, "button", { "aria-label": `${place}: ${value}, slope ${slopes[i][j]}` })
        put(button, "b", {}, value)
        put(button, "span", {}, slopes[i][j])
        button.onclick = () => choose(own, cell)
        button.onkeydown = (event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key]
          const cells = [...own.buttons.keys()], next = cells[cells.indexOf(cell) + step]
          if (!next) return
          event.preventDefault()
          choose(own, next)
          own.buttons.get(next).focus()
        }
        own.buttons.set(cell, button)
      })
    })
  }
}

/** Say what a number is made of, and mark those numbers and slopes. */
function choose(own, cell) {
  const [told, values, slopes] = own.data.causes[cell]
  own.chosen = cell
  own.card.replaceChildren(...told.map((line) => write(document.createElement("p"), line)))
  for (const [name, button] of own.buttons) {
    set(button, { "aria-pressed": name === cell, tabindex: name === cell ? 0 : -1 })
    button.firstChild.classList.toggle("cause", values.includes(name))
    button.lastChild.classList.toggle("cause", slopes.includes(name))
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".grids"), card = parentElement.querySelector(".card")
  if (!states.has(root)) states.set(root, { root, card })
  const own = states.get(root), isNew = JSON.stringify(own.data?.grids) !== JSON.stringify(data.grids)
  const asked = own.data?.chosen !== data.chosen
  own.data = data
  if (isNew) build(own, data)
  choose(own, isNew || asked ? data.chosen : own.chosen)
}
