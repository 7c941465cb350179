/*
 * The queue of pictures that operators decide of. What is decided of one picture stands in it at once, with what takes it back, and the
 * focus goes on to the next; nothing else on the screen moves. What others decide meanwhile is looked for every few seconds, and stands in
 * the picture as well: none vanishes from under a hand.
 */

const LOOK_MS = 4_000;
/** So many pictures that have left the queue are asked for at a time. */
const GONE_AT_ONCE = 6;

/** What was decided here and can be taken back, the last at the end: ids of pictures. @type {string[]} */
let decided = [];

/** @returns {HTMLElement[]} */
function cards() {
	const found = [...document.querySelectorAll("main :is(ul.queue, ul.grid) > li[data-item]")];
	return found.filter((one) => one instanceof HTMLElement);
}

/** The page after a decision says it once: whoever asked in between would have it. */
let line = Promise.resolve();

/** @typedef {{ readonly page: Document, readonly url: string }} Found */

/** In turn. @param {string} address @param {RequestInit} [init] @returns {Promise<Found | undefined>} undefined where it could not be reached */
function ask(address, init) {
	const found = line.then(() => askNow(address, init));
	line = found.then(() => undefined);
	return found;
}

/** @param {string} address @param {RequestInit} [init] @returns {Promise<Found | undefined>} */
async function askNow(address, init = {}) {
	const answer = await fetch(address, { ...init, headers: { Accept: "text/html" } }).catch(() => undefined);
	if (!answer || answer.status === 429 || answer.status >= 500) return undefined;
	return { page: new DOMParser().parseFromString(await answer.text(), "text/html"), url: answer.url };
}

/** @param {HTMLElement} card @param {HTMLElement | null | undefined} now what it is by now; nothing where it is gone */
function renew(card, now) {
	const [before, after] = [card.querySelector(".verdict"), now?.querySelector(".verdict")];
	const [shown, veiled] = [card.querySelector("figure"), now?.querySelector("figure")];
	const wasMarked = card.querySelector(".box:checked") !== null;
	card.removeAttribute("aria-busy");
	if (!now || !before || !after) {
		card.toggleAttribute("inert", !now);
		return;
	}
	card.dataset.item = now.dataset.item;
	// The picture is fetched again only where it is covered by now, or is not any more.
	if (shown && veiled && (shown.querySelector(".veil") === null) !== (veiled.querySelector(".veil") === null))
		shown.replaceWith(veiled);
	const held = document.activeElement?.closest("li[data-item]");
	const top = held?.getBoundingClientRect().top ?? 0;
	const hadFocus = before.contains(document.activeElement);
	before.replaceWith(after);
	scrollBy(0, (held?.getBoundingClientRect().top ?? 0) - top);
	const box = card.querySelector(".box");
	if (box instanceof HTMLInputElement) box.checked = wasMarked;
	const link = card.querySelector("h2 a");
	if (hadFocus && link instanceof HTMLElement) link.focus({ preventScroll: true });
	arrange();
}

/** Only what was decided last is taken back by its key. */
function arrange() {
	decided = decided.filter((id) => document.getElementById(id)?.querySelector(".decided button"));
	for (const button of document.querySelectorAll("li .decided button")) button.removeAttribute("data-keys");
	const last = document.getElementById(decided.at(-1) ?? "");
	last?.querySelector(".decided button")?.setAttribute("data-keys", "z");
}

/** @param {HTMLElement} card @param {HTMLFormElement} form */
async function decide(card, form) {
	const body = new URLSearchParams();
	// Without the list to come back to, the answer is the picture alone.
	for (const [name, value] of new FormData(form)) if (name !== "back") body.append(name, String(value));
	const isUndo = form.closest(".decided") !== null;
	card.setAttribute("aria-busy", "true");
	if (!isUndo) goOn(card);
	const found = await ask(form.action, { method: "POST", body });
	if (!found) return refuse(card);
	const now = found.page.getElementById(card.id);
	// It asks who one is, or something is wrong that has a page of its own.
	if (!now) return location.assign(found.url);
	renew(card, asCard(now));
	decided = [...decided.filter((id) => id !== card.id), ...(isUndo ? [] : [card.id])];
	arrange();
	say(card.querySelector(".verdict :is([role=status], [role=alert])")?.textContent ?? "");
}

/** On its own page a picture has neither a box nor a link to itself: those of the list stay. @param {HTMLElement} now */
function asCard(now) {
	const title = document.getElementById(now.id)?.querySelectorAll(".heading > :is(.box, h2)") ?? [];
	now.querySelector(".verdict > .heading")?.prepend(...[...title].map((one) => one.cloneNode(true)));
	return now;
}

/** @param {HTMLElement} card */
function refuse(card) {
	card.removeAttribute("aria-busy");
	say(card.parentElement?.dataset.failed ?? "");
	card.querySelector("a")?.focus();
}

/** @param {HTMLElement} card */
function goOn(card) {
	const next = card.nextElementSibling?.querySelector("h2 a") ?? card.querySelector("h2 a");
	if (!(next instanceof HTMLElement)) return;
	next.focus({ preventScroll: true });
	next.closest("li")?.scrollIntoView({ block: "start" });
}

/** @param {string} text */
function say(text) {
	document.dispatchEvent(new CustomEvent("say", { detail: { text } }));
}

/** What others have done since. */
async function look() {
	const { href } = location;
	if (document.hidden || !document.querySelector("[data-new]")) return;
	const found = await ask(href);
	if (!found || location.href !== href) return;
	const here = cards();
	const left = here.filter((card) => isFree(card) && hasLeft(card, found.page.getElementById(card.id)));
	for (const card of left.slice(0, GONE_AT_ONCE)) await renewGone(card);
	const [note, known] = [document.querySelector("[data-new]"), new Set(here.map(({ id }) => id))];
	const some = [...found.page.querySelectorAll("li[data-item]")].some(({ id }) => !known.has(id));
	note?.toggleAttribute("hidden", !some);
}

/** Nothing is under way with it. @param {HTMLElement} card */
function isFree(card) {
	return !card.matches("[aria-busy], [inert]") && !card.querySelector("select:focus");
}

/** Shows what a picture is by now. @param {HTMLElement} card @param {HTMLElement | null} now @returns {boolean} true where it has left the queue, and what became of it is not shown yet */
function hasLeft(card, now) {
	if (now && now.dataset.item !== card.dataset.item) renew(card, now);
	return !now && card.dataset.left !== card.dataset.item;
}

/** It has left the queue: what became of it says its own page. @param {HTMLElement} card */
async function renewGone(card) {
	const link = card.querySelector("a");
	const found = link && (await ask(link.href));
	if (!found || !card.isConnected) return;
	const now = found.page.getElementById(card.id);
	const isSame = now?.dataset.item === card.dataset.item;
	if (!isSame) renew(card, now && asCard(now));
	card.dataset.left = card.dataset.item;
}

document.addEventListener("submit", (event) => {
	const form = event.target;
	if (!(form instanceof HTMLFormElement) || form.method !== "post" || form.closest("details.ask")) return;
	const ids = form.closest(".marked") && form.elements.namedItem("ids");
	if (ids instanceof HTMLInputElement) {
		const marked = document.querySelectorAll(".box:checked, #choose input[name=ids]");
		ids.value = [...marked].map((one) => one.getAttribute("value")).join(",");
	}
	const card = form.closest("ul.queue > li");
	if (!(card instanceof HTMLElement)) return;
	event.preventDefault();
	if (!card.hasAttribute("aria-busy")) decide(card, form).catch(() => location.reload());
});

/** After `b` a figure says the reason. */
document.addEventListener("keydown", (event) => {
	const button = document.activeElement;
	if (!(button instanceof HTMLButtonElement) || event.ctrlKey || event.altKey || event.metaKey) return;
	const reason = button.dataset.reasons?.split(",")[Number(event.key) - 1];
	const select = button.form?.elements.namedItem("reason");
	if (reason === undefined || !(select instanceof HTMLSelectElement)) return;
	event.preventDefault();
	select.value = reason;
	button.form?.requestSubmit(button);
});

setInterval(look, LOOK_MS);
