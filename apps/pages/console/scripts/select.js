/*
 * Many pictures are marked at once: a range with shift, all of the page, and those of pages that one has left, for as long as the filter is the
 * same. What is marked elsewhere stands in the form as well, which is sent as ever.
 */

/** The service takes so many ids at once. */
const MOST = 100;

/** @type {Set<string>} */
const marked = new Set();
let of = filterOf(location);
/** Where a range begins. @type {string | undefined} */
let from;

/** What is listed, wherever in it one is. @param {Location} location */
function filterOf({ pathname, search }) {
	const query = new URLSearchParams(search);
	for (const place of ["cursor", "trail", "view", "order"]) query.delete(place);
	return `${pathname}?${query}`;
}

/** @returns {HTMLFormElement | null} */
function findForm() {
	return document.querySelector("form#choose");
}

/** @returns {readonly HTMLInputElement[]} */
function boxes() {
	return [...document.querySelectorAll("input.box")].filter((box) => box instanceof HTMLInputElement);
}

function prepare() {
	const here = filterOf(location);
	if (here !== of && findForm()) {
		of = here;
		marked.clear();
	}
	// Some browsers tick what was ticked when the page was left.
	for (const { checked, value } of boxes()) if (checked) marked.add(value);
	from = undefined;
	show();
}

/** @param {readonly HTMLInputElement[]} those @param {boolean} isMarked */
function mark(those, isMarked) {
	let isFull = false;
	for (const { value } of those) {
		if (!isMarked) marked.delete(value);
		else if (marked.size < MOST) marked.add(value);
		else isFull ||= !marked.has(value);
	}
	show();
	const { said = "", full = "" } = findForm()?.dataset ?? {};
	const words = said.replace("{images}", String(marked.size));
	const note = findForm()?.querySelector("[data-note]");
	if (note) note.textContent = isFull ? full : "";
	document.dispatchEvent(new CustomEvent("say", { detail: { text: isFull ? `${words}. ${full}` : words } }));
}

function show() {
	const form = findForm();
	const here = boxes();
	for (const box of here) box.checked = marked.has(box.value);
	const [button, none] = form?.querySelectorAll("button") ?? [];
	if (!form || !button || !none) return;
	button.dataset.none ??= button.textContent;
	const some = (button.dataset.text ?? "").replace("{images}", String(marked.size));
	button.textContent = marked.size > 0 ? some : button.dataset.none;
	button.disabled = marked.size === 0;
	none.hidden = marked.size === 0;
	showWhole(form, here);
	for (const one of form.querySelectorAll("input[name=ids]")) one.remove();
	const elsewhere = [...marked].filter((id) => here.every(({ value }) => value !== id));
	for (const value of elsewhere)
		form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "ids", value }));
}

/** The box for all of the page. @param {HTMLFormElement} form @param {readonly HTMLInputElement[]} here */
function showWhole(form, here) {
	const label = form.querySelector("label.whole");
	const whole = label?.querySelector("input");
	if (!label || !whole) return;
	label.toggleAttribute("hidden", false);
	const ticked = here.filter(({ checked }) => checked).length;
	whole.checked = ticked > 0 && ticked === here.length;
	whole.indeterminate = ticked > 0 && ticked < here.length;
}

/** @param {HTMLInputElement} box @param {boolean} isRange */
function toggle(box, isRange) {
	const here = boxes();
	const [first, last] = [here.findIndex(({ value }) => value === from), here.indexOf(box)];
	const range = isRange && first >= 0 ? here.slice(Math.min(first, last), Math.max(first, last) + 1) : [box];
	from = box.value;
	mark(range, box.checked);
}

document.addEventListener("click", ({ target, shiftKey }) => {
	if (!(target instanceof Element)) return;
	if (target instanceof HTMLInputElement && target.matches(".box")) toggle(target, shiftKey);
	else if (target instanceof HTMLInputElement && target.matches(".whole input")) mark(boxes(), target.checked);
	else if (target.matches("#choose button[type=button]")) {
		marked.clear();
		mark([], false);
	}
});

document.addEventListener("shown", prepare);
prepare();
