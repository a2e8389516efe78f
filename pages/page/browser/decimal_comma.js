// A decimal comma is a point: where the browser's language has a point, it drops the comma, and 9,0 would be 90.
function point(event) {
  if (event.target.type !== "number" || !event.data?.includes(",")) return
  event.preventDefault()
  document.execCommand("insertText", false, event.data.replace(",", "."))
}

if ((1.1).toLocaleString(navigator.language)[1] === "." && !window.attentionPoint) {
  window.attentionPoint = true
  document.addEventListener("beforeinput", point, true)
}
