// On a tablet the open menu would take a third of the page. Streamlit closes it only on a phone.
if (!window.attentionMenu) {
  window.attentionMenu = true
  if (window.innerWidth < 1000) document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click()
}
