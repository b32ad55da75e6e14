// A button that copies what an element has. Without this script there is none, and a press on the text
// selects it whole.
for (const button of document.querySelectorAll("button[data-copies]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent);
    button.nextElementSibling.textContent = button.textContent = button.dataset.done;
  });
}
