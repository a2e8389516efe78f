
// Vega paints the colour bar of a legend by a gradient that it names by the whole address of the page. The address
// changes with every choice, and the bar would lose its colours: a name within the document keeps them.
const BARS = '.role-legend-gradient path[fill^="url("]:not([fill^="url(#"])'
let waiting = false

function nameWithinDocument() {
  waiting = false
  for (const bar of document.querySelectorAll(BARS))
    bar.setAttribute("fill", bar.getAttribute("fill").replace(/^url\(.*#/, "url(#"))
}

window.attentionColourBars ??= new MutationObserver(() => {
  if (!waiting) requestAnimationFrame(nameWithinDocument)
  waiting = true
})
window.attentionColourBars.observe(document.body, { childList: true, subtree: true })
nameWithinDocument()
