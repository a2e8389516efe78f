// Arrows from the middle of a square, and names that keep clear of each other.
import { put, set } from "../look/parts.js"

export const SIDE = 260
const HEAD = 13, LINE = 16, GAP = 2  // a unit is about a pixel

/** Build a square for vectors up to `limit`, which `toScreen` places in it. */
export function squareIn(chart, limit) {
  const svg = put(chart, "svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, class: "square", "aria-hidden": true })
  const half = SIDE / 2
  return { svg, toScreen: ([x, y]) => [half + x / limit * half, half - y / limit * half] }
}

export function arrowIn(svg, { label, role }) {
  const group = put(svg, "g", { class: role })
  return { stem: put(group, "line", { class: "stem" }), head: put(group, "path"), label, role }
}

export function nameIn(svg, { label, role }) {
  const text = put(svg, "text", { class: `name ${role}` }, label)
  return { text, width: text.getComputedTextLength() || 8 * label.length }
}

/** Let an arrow point to a place; return the direction in which it points. */
export function point({ stem, head }, [x, y]) {
  const half = SIDE / 2, far = Math.hypot(x - half, y - half)
  const [across, down] = far ? [(x - half) / far, (y - half) / far] : [1, 0]
  const long = Math.min(HEAD, far), [left, top] = [x - across * long, y - down * long], wide = 0.42 * long
  set(stem, { x1: half, y1: half, x2: left, y2: top })
  head.setAttribute("d", `M${x} ${y}L${left - down * wide} ${top + across * wide}L${left + down * wide} ${top - across * wide}Z`)
  return [across, down]
}

/** Return the middle of a name beyond the tip of its arrow. */
export function beyond([x, y], [across, down], width) {
  const far = 6 + Math.abs(across) * width / 2 + Math.abs(down) * LINE / 2
  return { x: x + across * far, y: y + down * far, width }
}

/** Push names apart that cover each other, and keep them in the square. */
function apart(names) {
  const keepIn = (name) => {
    name.x = Math.min(Math.max(name.x, name.width / 2), SIDE - name.width / 2)
    name.y = Math.min(Math.max(name.y, LINE / 2), SIDE - LINE / 2)
  }
  names.forEach(keepIn)
  for (let round = 0; round < 60; round++) {
    let moved = false
    names.forEach((a, i) => names.slice(i + 1).forEach((b) => {
      const across = (a.width + b.width) / 2 + GAP - Math.abs(a.x - b.x), down = LINE + GAP - Math.abs(a.y - b.y)
      if (across <= 0 || down <= 0) return
      const axis = across < down ? "x" : "y", by = (Math.min(across, down) / 2 + 0.01) * (a[axis] < b[axis] ? -1 : 1)
      a[axis] += by
      b[axis] -= by
      keepIn(a)
      keepIn(b)
      moved = true
    }))
    if (!moved) break
  }
  return names
}

export function placeNames(names, places) {
  apart(places).forEach(({ x, y }, i) => set(names[i].text, { x, y }))
}
