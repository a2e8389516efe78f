const REACH = 1.45  // of the square, where a hand has length 1: names have room beyond it
const TICKS = 12

function shape({ clocks }) {
  return clocks.map(({ title }) => title)
}

function make(own) {
  own.drawn = own.data.clocks.map(({ title }) => {
    const panel = panelIn(own.panels, title), square = squareIn(panel.chart, REACH)
    square.svg.setAttribute("viewBox", `0 16 ${SIDE} ${SIDE - 32}`)  // names need less room above than beside
    const [middle, edge] = square.toScreen([0, 1])
    draw(square.svg, "circle", { class: "face", cx: middle, cy: middle, r: middle - edge })
    for (let i = 0; i < TICKS; i++) {
      const angle = 2 * Math.PI * i / TICKS
      const [[x1, y1], [x2, y2]] = [0.94, 1].map((far) => square.toScreen([far * Math.cos(angle), far * Math.sin(angle)]))
      draw(square.svg, "line", { class: "axis", x1, y1, x2, y2 })
    }
    const hands = [{ label: "t + k", role: "output" }, { label: "t", role: "ink" }]
    const built = hands.map((hand) => arrowIn(square.svg, hand))
    return { ...panel, ...square, built, names: hands.map((hand) => nameIn(square.svg, hand)) }
  })
}

function move(own) {
  const here = Number(stop(own, "here")), steps = Number(stop(own, "steps")), { from, clocks } = own.data
  const way = `${Math.abs(steps)} step${Math.abs(steps) === 1 ? "" : "s"} ${steps < 0 ? "earlier" : "later"}`
  return clocks.map(({ pair, rows }, i) => {
    const clock = own.drawn[i]
    const places = [here + steps, here].map((position, j) => {
      const tip = clock.toScreen(rows[position - from])
      return beyond(tip, point(clock.built[j], tip), clock.names[j].width)
    })
    placeNames(clock.names, places)
    const sentence = `Pair ${pair} at position ${here} and ${way}.`
    tellUnder(clock, sentence)
    return sentence
  })
}
