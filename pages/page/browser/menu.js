// On a tablet the open menu would take a third of the page. Streamlit closes it only on a phone, and remembers it: not on the stage.
if (!window.attentionMenu) {
  window.attentionMenu = true
  if (window.innerWidth < 1000 && window === window.top) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click()
}
