
// A step that runs alone draws neither the menu nor the link for paper anew. The address of the page follows every
// choice, so what repeats it is made equal to it just before it is used. Where one is already, a click leads nowhere.
const lastPart = (address) => address.split("?")[0].split("/").pop()  // the home page has none

function ownLink(event) {
  const link = event.target.closest?.("[data-testid=stPageLink-NavLink]")
  return link && lastPart(link.getAttribute("href")) === lastPart(location.pathname) ? link : null
}

function sayAddress(event) {
  const link = ownLink(event)
  if (link) link.href = location.href
}

function stayHere(event) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || !ownLink(event)) return
  event.preventDefault()
  event.stopPropagation()
}

function printAddress() {
  for (const note of document.querySelectorAll(".course.printed")) note.textContent = location.href
}

if (!window.attentionOwnLink) {
  window.attentionOwnLink = true
  for (const kind of ["pointerdown", "focusin"]) document.addEventListener(kind, sayAddress, true)
  document.addEventListener("click", stayHere, true)
  window.addEventListener("beforeprint", printAddress)
}
