/** Return what attention_core's `choose` keeps of sorted logits, and the probabilities before and after. */
function cut(logits, temperature, topK, topP) {
  const odds = logits.map((logit) => Math.exp(logit / temperature - logits[0] / temperature))
  let together = 0
  const sums = odds.map((odd) => (together += odd))
  let kept = topK ? Math.min(topK, odds.length) : odds.length
  if (topP < 1) {
    const enough = topP * sums[kept - 1]
    kept = sums.findIndex((sum) => sum >= enough) + 1
  }
  return {
    kept,
    before: odds.map((odd) => odd / together),
    after: odds.map((odd, i) => (i < kept ? odd / sums[kept - 1] : 0)),
  }
}

function shape({ labels, logits, unit }) {
  return [labels, logits.length, unit]
}

function make(own) {
  const { labels, logits } = own.data, others = logits.length - labels.length
  const panel = panelIn(own.panels)
  panel.chart.classList.add("cuts")
  const head = put(panel.chart, "div", { class: "row" })
  for (const text of ["", "", "before", "after"]) put(head, "span", { class: "number" }, text)
  const rows = barsIn(panel.chart, others ? [...labels, `${others} others`] : labels)
  own.drawn = { ...panel, line: put(panel.chart, "div", { class: "cut" }) }
  own.drawn.rows = rows.map(({ row, bar, number }) => {
    const mark = put(bar.parentElement, "b"), before = put(row, "span", { class: "number soft" })
    number.before(before)
    return { row, bar, number, mark, before }
  })
}

function move(own) {
  const { labels, logits, unit } = own.data, { rows, line } = own.drawn
  const [topP, topK, temperature] = ["top_p", "top_k", "temperature"].map((name) => Number(stop(own, name)))
  const { kept, before, after } = cut(logits, temperature, topK, topP)
  const ofOthers = (shares) => shares.slice(labels.length).reduce((sum, share) => sum + share, 0)
  rows.forEach((row, i) => {
    const [was, is] = [before, after].map((shares) => (i < labels.length ? shares[i] : ofOthers(shares)))
    row.row.classList.toggle("out", i >= kept)
    row.mark.style.left = `${100 * was}%`
    row.before.textContent = was.toFixed(2)
    setBar(row, is)
  })
  line.hidden = kept === logits.length || kept > labels.length
  line.style.top = `calc(var(--row) * ${kept + 1})`
  const together = before.slice(0, kept).reduce((sum, share) => sum + share, 0)
  const cuts = [topK ? `top-k = ${topK}` : "", topP < 1 ? `top-p = ${topP}` : ""].filter(Boolean).join(" and ")
  const sentence = cuts
    ? `At T = ${temperature}, ${cuts} keep${topK && topP < 1 ? "" : "s"} ${kept} of ${logits.length} ${unit}s. ` +
      `Before the cut ${kept === 1 ? "it has" : "they have"} probability ${together.toFixed(2)}${kept === 1 ? "" : " together"}.`
    : `At T = ${temperature}, all ${logits.length} ${unit}s are kept.`
  tellUnder(own.drawn, sentence)
  return [sentence]
}
