import { write } from "../look/parts.js"
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

/** Return words as Python lists them: of many the first few, and how many more. */
function listed(words) {
  const quoted = words.map((word) => `“\u2068${word}\u2069”`)
  const kept = quoted.length > 4 ? [...quoted.slice(0, 3), `${quoted.length - 3} more`] : quoted
  return kept.length > 1 ? `${kept.slice(0, -1).join(", ")} and ${kept.at(-1)}` : kept[0]
}

function move(own) {
  const { sliders: [slider], choice, panels, labels } = own.data, at = own.at[slider.name]
  return (choice ? [panels[own.choice]] : panels).map((panel, i) => {
    const row = panel.frames[at], most = Math.max(...row).toFixed(2)
    const first = labels.filter((_, i) => row[i].toFixed(2) === most)
    const words = { at: slider.stops[at].replace(/^-/, "−"), word: first[0], words: listed(first), most }
    const filled = panel.told.replace(/\{(\w+)\}/g, (whole, name) => words[name])
    const sentence = panel.notes.length ? `${filled} ${panel.notes[at]}` : filled
    write(own.drawn[i].title, panel.title)
    tellUnder(own.drawn[i], sentence)
    own.drawn[i].rows.forEach((bar, j) => setBar(bar, row[j]))
    return sentence
  })
}

export default picture({ shape, make, move })
