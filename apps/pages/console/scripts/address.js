/*
 * While somebody moves a control of the address builder, the picture and its addresses follow. The page itself is asked, at the address that its
 * form leads to: what of it is marked `data-fresh` takes the place of what is shown.
 */

/** So long a hand may rest between two steps, in milliseconds. */
const REST_MS = 200;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let resting;
/** @type {AbortController | undefined} */
let underWay;

/** @param {EventTarget | null} target */
function builderOf(target) {
	const form = target instanceof Element ? target.closest("form[data-address]") : null;
	return form instanceof HTMLFormElement ? form : undefined;
}

/** @param {HTMLElement} of */
function controlOf(of) {
	const control = document.getElementById(of.dataset.of ?? "");
	return control instanceof HTMLInputElement ? control : undefined;
}

/** What the service would refuse is not asked for. @param {Element} control */
function isSound(control) {
	if (!(control instanceof HTMLInputElement) || control.name === "") return true;
	const { min, max } = control.dataset;
	const number = Number(control.value);
	if (min === undefined || max === undefined || control.value === "" || Number.isNaN(number))
		return control.validity.valid;
	return Number.isInteger(number) && number >= Number(min) && number <= Number(max);
}

/** @param {HTMLFormElement} form */
function addressOf(form) {
	const url = new URL(form.action);
	const fields = [...new FormData(form)].filter(([, value]) => value !== "");
	url.search = String(new URLSearchParams(fields.map(([name, value]) => [name, String(value)])));
	return url.href;
}

/**
 * A picture is shown once it is there, in the place of the one before.
 * @param {Element} before
 * @param {Element} after
 * @param {AbortSignal} signal
 */
async function replace(before, after, signal) {
	// One that cannot be shown says so in its place.
	await after
		.querySelector("img")
		?.decode()
		.catch(() => undefined);
	if (!signal.aborted) before.replaceWith(after);
}

/** @param {Document} next @param {AbortSignal} signal */
async function take(next, signal) {
	for (const control of document.querySelectorAll("form[data-address] [name]")) {
		control.removeAttribute("aria-invalid");
		const fault = next.getElementById(control.id)?.getAttribute("aria-invalid");
		if (fault) control.setAttribute("aria-invalid", fault);
	}
	const parts = [...document.querySelectorAll("[data-fresh]")].flatMap((before) => {
		const after = next.getElementById(before.id);
		return after && after.outerHTML !== before.outerHTML
			? [replace(before, document.importNode(after, true), signal)]
			: [];
	});
	await Promise.all(parts);
}

/** Of two the last one counts. @param {HTMLFormElement} form */
async function follow(form) {
	underWay?.abort();
	const unsound = [...form.elements].filter((one) => !isSound(one));
	for (const one of unsound) one.setAttribute("aria-invalid", "true");
	// What was written for the last sound state is not that of what stands there.
	const written = document.getElementById("address-forms");
	if (written) written.inert = unsound.length > 0;
	if (unsound.length > 0) return;
	const mine = new AbortController();
	underWay = mine;
	const address = addressOf(form);
	try {
		const answer = await fetch(address, { signal: mine.signal, headers: { Accept: "text/html" } });
		const next = new DOMParser().parseFromString(await answer.text(), "text/html");
		if (mine.signal.aborted || !form.isConnected || !next.querySelector("form[data-address]")) return;
		history.replaceState(history.state, "", answer.url);
		await take(next, mine.signal);
	} catch {
		// The button of the form leads there as well, and says what is wrong.
	}
}

/** @param {HTMLFormElement} form */
function rest(form) {
	clearTimeout(resting);
	resting = setTimeout(follow, REST_MS, form);
}

document.addEventListener("input", ({ target }) => {
	const form = builderOf(target);
	if (!form || !(target instanceof HTMLElement)) return;
	const control = controlOf(target);
	if (control && target instanceof HTMLInputElement) control.value = target.value;
	const slider = form.querySelector(`input[type=range][data-of="${target.id}"]`);
	if (target.id && slider instanceof HTMLInputElement && target instanceof HTMLInputElement && target.value !== "")
		slider.value = target.value;
	rest(form);
});

document.addEventListener("click", (event) => {
	const { target } = event;
	if (!(target instanceof HTMLInputElement) || target.type !== "image" || !builderOf(target)) return;
	const control = controlOf(target);
	if (!control || event.detail === 0) return;
	event.preventDefault();
	const share = (/** @type {number} */ at, /** @type {number} */ side) =>
		Math.round(Math.min(1, Math.max(0, at / side)) * 1_000) / 1_000;
	control.value = `${share(event.offsetX, target.clientWidth)},${share(event.offsetY, target.clientHeight)}`;
	control.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("shown", () => {
	clearTimeout(resting);
	underWay?.abort();
});
