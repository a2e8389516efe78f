import { fill, listed, shown, write } from "../look/parts.js"
import { barsIn, panelIn, picture, setBar, tellUnder } from "./sliders.js"

function shape({ labels, marked, panels, choice }) {
  return [labels, marked, panels.length, choice?.options]
}

function make(own) {
  const { labels, marked, panels, choice } = own.data
  own.drawn = panels.slice(0, choice ? 1 : undefined).map(() => {
    const panel = panelIn(own.panels)
    return { ...panel, rows: barsIn(panel.chart, labels, marked) }
  })
}

function move(own) {
  const { sliders: [slider], choice, panels, labels } = own.data, at = own.at[slider.name]
  return (choice ? [panels[own.choice]] : panels).map((panel, i) => {
    const row = panel.frames[at], most = shown(Math.max(...row))
    const words = labels.filter((_, i) => shown(row[i]) === most)
    const sentence = fill(panel.told, { at: slider.stops[at].replace(/^-/, "−"), names: listed(words), most })
    write(own.drawn[i].title, panel.title)
    tellUnder(own.drawn[i], sentence)
    own.drawn[i].rows.forEach((bar, j) => setBar(bar, row[j]))
    return sentence
  })
}

export default picture({ shape, make, move })
