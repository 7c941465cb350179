/*
 * Copies what a button names by the id of its element. It listens on the whole page, so that it works on what is shown later as well.
 * Where no script runs the button is not shown.
 */

document.addEventListener("click", async ({ target }) => {
	const button = target instanceof Element ? target.closest("button[data-copy]") : null;
	if (!(button instanceof HTMLButtonElement)) return;
	const text = document.getElementById(button.dataset.copy ?? "")?.textContent ?? "";
	await navigator.clipboard.writeText(text);
	button.textContent = button.dataset.copied ?? "";
});
