/*
 * Keys that do what a person would do with the mouse. A control says its own in `data-keys`, several after commas; `g i` is one after the
 * other. Keys that move in a list are listed in the dialog, by what they need in `data-needs`. None works while somebody types, nor where
 * they turned letters off.
 */

/** What stands in a list or a grid, one a row. */
const ROWS = "main :is(ul.grid > li, ul.rows > li, ul.queue > li, tbody > tr)";
const OFF = "keys-off";
/** A letter after `g` counts for so long, in milliseconds. */
const PREFIX_MS = 2_000;

/** @type {{ readonly key: string, readonly at: number }} */
let last = { key: "", at: 0 };

/** @param {Element | null | undefined} element @returns {element is HTMLElement} */
function isSeen(element) {
	return element instanceof HTMLElement && element.checkVisibility();
}

/** The list of keys. */
function dialog() {
	const found = document.getElementById("keys");
	return found instanceof HTMLDialogElement ? found : undefined;
}

/** @param {EventTarget | null} target */
function isTyped(target) {
	return target instanceof Element && target.closest("input:not([type=checkbox]), textarea, select") !== null;
}

/**
 * Controls that are seen, by the keys that they have; of two with one key that which is about all that is marked, then that of the row, then
 * the first. What is done at once (`data-now`) is done to the row alone.
 * @param {Element | null | undefined} row
 */
function controls(row) {
	/** @type {Map<string, HTMLElement>} */
	const found = new Map();
	const rank = (/** @type {Element} */ control) =>
		control.closest("[data-wide]") ? 0 : row?.contains(control) ? 1 : 2;
	for (const control of [...document.querySelectorAll("[data-keys]")].toSorted((a, b) => rank(a) - rank(b))) {
		if (!isSeen(control) || (control.hasAttribute("data-now") && rank(control) > 1 && control.closest(ROWS))) continue;
		for (const keys of (control.dataset.keys ?? "").split(",")) if (!found.has(keys)) found.set(keys, control);
	}
	return found;
}

/** The row that one is at. */
function rowAt() {
	return document.activeElement?.closest(ROWS);
}

/** What can be opened or done in each row; a row without has nothing to move to. */
function stops() {
	return [...document.querySelectorAll(ROWS)]
		.map((row) => row.querySelector("a[href]") ?? row.querySelector("summary, button"))
		.filter(isSeen);
}

/** @param {Element | null} stop */
function boxOf(stop) {
	const box = stop?.closest(ROWS)?.querySelector("input.box");
	return box instanceof HTMLInputElement ? box : undefined;
}

/** How far each key leads, in rows down and across. */
const MOVES = /** @type {const} */ ({
	j: [1, 0],
	k: [-1, 0],
	h: [0, -1],
	l: [0, 1],
	ArrowDown: [1, 0],
	ArrowUp: [-1, 0],
	ArrowLeft: [0, -1],
	ArrowRight: [0, 1],
});

/** How many stand beside each other. @param {readonly HTMLElement[]} from */
function breadthOf(from) {
	const topOf = (/** @type {Element | undefined} */ stop) => stop?.closest(ROWS)?.getBoundingClientRect().top;
	const breadth = from.findIndex((stop) => topOf(stop) !== topOf(from[0]));
	return breadth < 0 ? from.length : breadth;
}

/**
 * Which stop is that far away; undefined where there is none.
 * @param {readonly HTMLElement[]} from
 * @param {readonly [down: number, across: number]} by
 */
function stopAt(from, [down, across]) {
	const row = rowAt();
	const at = from.findIndex((stop) => stop.closest(ROWS) === row);
	if (at < 0) return from[0];
	const wide = breadthOf(from);
	return from[at + down * wide + across * Number(wide > 1)];
}

/** @param {KeyboardEvent} event @param {string} key */
function move(event, key) {
	if (!Object.hasOwn(MOVES, key)) return false;
	const to = stopAt(stops(), MOVES[/** @type {keyof typeof MOVES} */ (key)]);
	if (!to) return false;
	const box = boxOf(to);
	// The row that one begins at is part of the range.
	if (event.shiftKey) mark(boxOf(document.activeElement), true);
	to.focus();
	to.scrollIntoView({ block: "nearest" });
	if (event.shiftKey) mark(box, true);
	return true;
}

/** @param {HTMLInputElement | undefined} box @param {boolean} [to] */
function mark(box, to) {
	if (box && box.checked !== to) box.click();
}

/** A range ends where a box is clicked with shift: `select.js` knows where it began. @param {KeyboardEvent} event */
function toggle(event) {
	const box = document.activeElement === boxOf(document.activeElement) ? undefined : boxOf(document.activeElement);
	box?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, shiftKey: event.shiftKey }));
	return box !== undefined;
}

const FIELDS = "input:not([type=hidden]), textarea, select, button";

/** Does what a control is there for. What changes something has the focus alone, so that it takes a second key; not what can be taken back. @param {HTMLElement} control */
function use(control) {
	control.scrollIntoView({ block: "nearest" });
	if ("now" in control.dataset) return control.click();
	const isDeed = control instanceof HTMLButtonElement && control.type === "submit";
	if (isDeed || isTyped(control)) return control.focus();
	const question = control.matches("summary") ? control.parentElement : null;
	if (!(question instanceof HTMLDetailsElement)) return control.click();
	question.open = true;
	const field = question.querySelector(FIELDS);
	if (field instanceof HTMLElement) field.focus();
}

/** Out of what one is in: a field, or what was opened. */
function leave() {
	const at = document.activeElement;
	const opened = at?.closest("details.ask[open]");
	if (opened instanceof HTMLDetailsElement) {
		opened.open = false;
		opened.querySelector("summary")?.focus();
		return true;
	}
	if (!isTyped(at)) return false;
	const title = document.querySelector("main h1");
	if (!(title instanceof HTMLElement)) return false;
	title.tabIndex = -1;
	title.focus();
	return true;
}

/** What the dialog says is what the screen has at this moment. @param {HTMLDialogElement} list */
function fill(list) {
	const rows = stops();
	const reasons = document.querySelector("main [data-reasons]") !== null;
	const has = { rows: rows.length > 0, grid: breadthOf(rows) > 1, boxes: rows.some(boxOf), reasons };
	for (const row of list.querySelectorAll("[data-needs]"))
		if (row instanceof HTMLElement) row.hidden = !has[/** @type {keyof typeof has} */ (row.dataset.needs)];
	for (const row of list.querySelectorAll("[data-made]")) row.remove();
	/** @type {Map<HTMLElement, string[]>} */
	const named = new Map();
	for (const [keys, control] of controls(rowAt() ?? document.querySelector(ROWS)))
		named.set(control, [...(named.get(control) ?? []), keys]);
	for (const [control, keys] of named) list.querySelector("dl")?.append(rowOf(keys, nameOf(control)));
}

/** @param {readonly string[]} keys @param {string} name */
function rowOf(keys, name) {
	const [row, term, about] = ["div", "dt", "dd"].map((tag) => document.createElement(tag));
	if (!row || !term || !about) throw new Error("no element");
	row.dataset.made = keys.join(",");
	for (const one of keys)
		term.append(Object.assign(document.createElement("kbd"), { textContent: SIGNS[one] ?? one }), " ");
	about.textContent = name;
	row.append(term, about);
	return row;
}

/** @type {Readonly<Record<string, string>>} */
const SIGNS = { ArrowLeft: "←", ArrowRight: "→", Escape: "esc" };

/** @param {HTMLElement} control */
function nameOf(control) {
	const label = control.id ? document.querySelector(`label[for=${CSS.escape(control.id)}]`) : null;
	return control.getAttribute("aria-label") ?? (label ?? control).textContent?.trim() ?? "";
}

function toggleList() {
	const list = dialog();
	if (!list) return false;
	if (list.open) list.close();
	else {
		fill(list);
		list.showModal();
	}
	return true;
}

/** Whether letters do something; kept in this browser alone. */
function isOn() {
	try {
		return localStorage.getItem(OFF) === null;
	} catch {
		// This browser keeps nothing for us.
		return true;
	}
}

/** The control whose key it is. @param {KeyboardEvent} event @param {string} key */
function controlFor(event, key) {
	const isSecond = last.key === "g" && event.timeStamp - last.at < PREFIX_MS;
	last = { key: isSecond ? "" : key, at: event.timeStamp };
	// With shift a letter moves.
	if (event.repeat || (event.shiftKey && Object.hasOwn(MOVES, key))) return undefined;
	return controls(rowAt()).get(isSecond ? `g ${key}` : key);
}

/** @param {KeyboardEvent} event @param {string} key */
function act(event, key) {
	if (key === "?") return toggleList();
	if (dialog()?.open) return false;
	if (key === "Escape" && leave()) return true;
	const control = controlFor(event, key);
	if (control) {
		use(control);
		return true;
	}
	if (key === "x" || (key === " " && document.activeElement?.matches("a"))) return toggle(event);
	return move(event, key);
}

document.addEventListener("keydown", (event) => {
	if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
	const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (isTyped(event.target) ? key !== "Escape" || !leave() : (key.length === 1 && !isOn()) || !act(event, key)) return;
	event.preventDefault();
});

document.addEventListener("click", ({ target }) => {
	if (target instanceof Element && target.closest("[data-shows=keys]")) toggleList();
});

document.addEventListener("change", ({ target }) => {
	if (!(target instanceof HTMLInputElement) || target.id !== "keys-on") return;
	if (target.checked) localStorage.removeItem(OFF);
	else localStorage.setItem(OFF, "1");
});

const letters = document.getElementById("keys-on");
if (letters instanceof HTMLInputElement) letters.checked = isOn();
