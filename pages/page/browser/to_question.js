// A keyboard comes to the question at once: a button before all else, seen while it has the focus.
if (!window.attentionToQuestion) {
  const skip = window.attentionToQuestion = document.createElement("nav"), button = document.createElement("button")
  skip.className = "to-question"
  skip.ariaLabel = "Shortcut"
  button.textContent = "To the question"
  button.addEventListener("click", () => {
    const form = document.querySelector(".course.ask")?.closest("[data-testid=stForm]")
    form?.querySelector("input:not(:disabled), button:not(:disabled)")?.focus()
  })
  skip.append(button)
  document.body.prepend(skip)
}
