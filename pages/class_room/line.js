// A server that died and came back knows nothing of an open page until it is asked to draw it.
const watched = new WeakSet()
let ask = null

export default function ({ setTriggerValue }) {
  ask = () => setTriggerValue("back", true)
  const app = document.querySelector("[data-testid=stApp]")
  if (!app || watched.has(app)) return
  watched.add(app)
  let lost = false
  new MutationObserver(() => {
    const here = app.dataset.testConnectionState === "CONNECTED"
    if (here && lost) ask()
    lost = !here
  }).observe(app, { attributes: true, attributeFilter: ["data-test-connection-state"] })
}
