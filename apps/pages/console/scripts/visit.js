/*
 * Leads from screen to screen without a new document: asks for the same address, takes what the answer shows, and tells the other scripts.
 * Whatever it cannot take over it leaves to the browser. Forms that post are the browser's own: what they are answered with may hold a secret.
 */

/** Parts of a document that differ from screen to screen. */
const PARTS = ["header.top", "nav.bar", "main"];

/**
 * `push` leads on, `back` to where one was; `again` shows the same screen as it is by now, unasked and therefore unnoticed.
 * @typedef {"push" | "back" | "again"} Way
 */

/** @type {AbortController | undefined} */
let underWay;
let shown = addressOf(location);

/** @param {URL | Location} url */
function addressOf({ pathname, search }) {
	return pathname + search;
}

/** @param {string} selector */
function find(selector) {
	const found = document.querySelector(selector);
	return found instanceof HTMLElement ? found : undefined;
}

/**
 * The screen at an address of the console.
 * @param {string} address
 * @param {AbortSignal} signal
 * @throws {Error} where there is none, or it belongs to another release
 */
async function fetchScreen(address, signal) {
	const answer = await fetch(address, { signal, headers: { Accept: "text/html" } });
	if (!answer.headers.get("Content-Type")?.startsWith("text/html")) throw new Error("no page");
	const next = new DOMParser().parseFromString(await answer.text(), "text/html");
	if (next.body.className !== "console" || !isOfThisRelease(next)) throw new Error("no screen of this release");
	return { next, address: answer.url };
}

/** A file's name without the digest that it has in its address. @param {string} path */
function nameOf(path) {
	return path.replace(/\.[0-9a-f]+\./, ".");
}

/** @param {Document} of */
function filesOf(of) {
	return [...of.head.querySelectorAll("script[src], link[rel=stylesheet]")].map(
		(file) => file.getAttribute("src") ?? file.getAttribute("href") ?? "",
	);
}

/** Another release has its files under the same names at other addresses: both at once would answer twice. @param {Document} next */
function isOfThisRelease(next) {
	const here = new Map(filesOf(document).map((path) => [nameOf(path), path]));
	return filesOf(next).every((path) => (here.get(nameOf(path)) ?? path) === path);
}

/** The bar may be longer than the window. Nothing else moves: what has a fault in it may have been scrolled to. */
function showPlace() {
	const [bar, place] = [find("nav.bar"), find("nav.bar [aria-current]")];
	if (bar && place && place.offsetTop + place.offsetHeight > bar.clientHeight) bar.scrollTop = place.offsetTop;
}

/** @param {Document} next */
function take(next) {
	for (const part of PARTS) {
		const [before, after] = [document.querySelector(part), next.querySelector(part)];
		if (before && after) before.replaceWith(after);
		else if (after) find("main")?.before(after);
		else before?.remove();
	}
	showPlace();
	document.title = next.title;
	document.documentElement.lang = next.documentElement.lang;
	document.dispatchEvent(new Event("shown"));
	const there = new Set(filesOf(document));
	for (const src of filesOf(next).filter((one) => !there.has(one)))
		document.head.append(Object.assign(document.createElement("script"), { type: "module", src }));
}

/** How a reader finds the place again: how far down it was, and what had the focus. */
function remember() {
	// On the way back the address is that of the screen to come already.
	if (addressOf(location) !== shown) return;
	const [at, href] = [document.activeElement, document.activeElement?.getAttribute("href")];
	const link = href && at?.closest("main") ? `main a[href=${CSS.escape(href)}]` : undefined;
	history.replaceState({ y: scrollY, focus: selectorOf(at) ?? link }, "");
}

/**
 * What finds the same control in another screen; undefined where a person begins anew, at its title.
 * @param {Element | null} control
 * @returns {string | undefined}
 */
function selectorOf(control) {
	if (!control?.closest("main")) return undefined;
	const [name, rel] = ["name", "rel"].map((one) => control.getAttribute(one));
	if (control.id) return `main #${CSS.escape(control.id)}`;
	if (name) return `main form:not([method=post]) [name=${CSS.escape(name)}]:not([type=hidden], [type=checkbox])`;
	// What leads through pictures one by one stays under the finger.
	return rel && control.closest("[data-stays]") ? `main [data-stays] a[rel=${CSS.escape(rel)}]` : undefined;
}

/** In a list, the link to where one has just been. @param {Document} next @param {string} address */
function linkBack(next, address) {
	const { pathname } = new URL(shown, location.href);
	if (pathname === new URL(address).pathname) return undefined;
	const links = [...next.querySelectorAll("main :is(ul.grid, ul.rows, tbody) a[href]")];
	return links.find((link) => new URL(link.getAttribute("href") ?? "", address).pathname === pathname);
}

/** What has no place of its own leaves the focus to the title, which is read out by that. @param {Element | null | undefined} control */
function focusOn(control) {
	const title = find("main h1");
	const to = find("main [autofocus]") ?? control ?? title;
	if (!(to instanceof HTMLElement)) return;
	if (to === title) to.tabIndex = -1;
	to.focus({ preventScroll: true });
	if (to !== title) say(heading());
}

/** What a screen is, and how much of it: as "Images, 6 images". */
function heading() {
	const texts = [...document.querySelectorAll("main :is(h1, .heading > p)")].map((part) => part.textContent);
	return texts.join(", ");
}

/** What was typed while the answer was awaited stays, with its caret. @param {Element | null} before */
function keepTyped(before) {
	const after = document.activeElement;
	if (!(before instanceof HTMLInputElement && after instanceof HTMLInputElement) || before.type !== after.type) return;
	if (!["search", "text"].includes(after.type)) return;
	after.value = before.value;
	after.setSelectionRange(before.selectionStart, before.selectionEnd);
}

/** @param {string} text */
function say(text) {
	document.dispatchEvent(new CustomEvent("say", { detail: { text } }));
}

/** Somebody is in the middle of something that a fresh screen would take from them. */
function isInUse() {
	const inside = "main :is(input, select, textarea):focus, main details.ask[open], main .box:checked, dialog[open]";
	return document.querySelector(inside) !== null;
}

/**
 * Of two visits the last one counts. What fails is left to the browser.
 * @param {string} address
 * @param {Way} way
 */
function visit(address, way) {
	if (way === "again" && (underWay || isInUse())) return;
	underWay?.abort();
	const mine = new AbortController();
	underWay = mine;
	if (way !== "again") find("main")?.setAttribute("aria-busy", "true");
	fetchScreen(address, mine.signal)
		.then((found) => mine.signal.aborted || enter(found, way))
		.catch(() => {
			if (mine.signal.aborted) return;
			if (way === "push") location.assign(address);
			if (way === "back") location.reload();
		})
		.finally(() => {
			// What was no page may be a download, which the browser has begun anew.
			mine.abort();
			if (underWay === mine) underWay = undefined;
		});
}

/** @typedef {{ readonly next: Document, readonly address: string }} Found */

/** @param {Found} found @param {Way} way */
function enter(found, way) {
	if (way === "again") return renew(found);
	const before = document.activeElement;
	const selector = way === "back" ? history.state?.focus : selectorOf(before);
	const kept = selector === undefined ? null : found.next.querySelector(selector);
	const back = kept ? undefined : linkBack(found.next, found.address);
	if (way === "push") push(found.address);
	shown = addressOf(location);
	take(found.next);
	focusOn(kept ?? back);
	if (way === "back") return scrollTo(0, history.state?.y ?? 0);
	keepTyped(before);
	if (!kept) scrollTo(0, 0);
	back?.scrollIntoView({ block: "nearest" });
}

/** @param {string} address */
function push(address) {
	remember();
	// As browsers do: what leads to where one is makes no step of its own.
	if (addressOf(new URL(address)) === shown) history.replaceState({}, "", address);
	else history.pushState({}, "", address);
}

/** What is as it was stays, with its focus. Only a title that has changed is read out. @param {Found} found */
function renew({ next, address }) {
	const [before, after] = [find("main"), next.querySelector("main")];
	if (isInUse() || !before || !after || addressOf(new URL(address)) !== shown) return;
	const { title } = document;
	if (next.title === title) grow(before, after);
	else before.replaceWith(after);
	document.title = next.title;
	document.dispatchEvent(new Event("shown"));
	if (next.title !== title) focusOn(undefined);
}

/** Makes one tree of another where the two differ. @param {ChildNode} before @param {ChildNode} after */
function grow(before, after) {
	if (before.isEqualNode(after)) return;
	const [from, to] = [[...before.childNodes], [...after.childNodes]];
	const isAlike = before.nodeName === after.nodeName && from.length === to.length;
	if (!isAlike || !(before instanceof Element && after instanceof Element)) return before.replaceWith(after);
	for (const { name } of [...before.attributes]) if (!after.hasAttribute(name)) before.removeAttribute(name);
	for (const { name, value } of after.attributes) before.setAttribute(name, value);
	for (const [place, child] of from.entries()) grow(child, /** @type {ChildNode} */ (to[place]));
}

/** Whether an address is a screen of the console. @param {URL} url */
function isScreen(url) {
	return url.origin === location.origin && /^\/console(\/|$)/.test(url.pathname);
}

document.addEventListener("go", (event) => {
	const { address, again } = event.detail;
	const url = new URL(address, location.href);
	if (!isScreen(url)) return;
	event.preventDefault();
	visit(url.href, again ? "again" : "push");
});

document.addEventListener("click", (event) => {
	const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
	if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button !== 0) return;
	if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
	if (link.target || link.hasAttribute("download")) return;
	const url = new URL(link.href);
	// What leads to a place of this very screen is no visit.
	if (!isScreen(url) || (url.hash !== "" && addressOf(url) === shown)) return;
	event.preventDefault();
	// A browser whose person clicks by the mouse may not have given it the focus.
	link.focus({ preventScroll: true });
	visit(link.href, "push");
});

document.addEventListener("submit", (event) => {
	const [form, by] = [event.target, event.submitter];
	if (!(form instanceof HTMLFormElement) || event.defaultPrevented || by?.hasAttribute("formaction")) return;
	const url = new URL(form.action);
	if (form.method !== "get" || !isScreen(url)) return;
	event.preventDefault();
	const fields = new FormData(form, by);
	url.search = String(new URLSearchParams([...fields].map(([name, value]) => [name, String(value)])));
	visit(url.href, "push");
});

document.addEventListener("say", ({ detail }) => {
	const said = find("#said");
	if (said) said.textContent = detail.text;
});

addEventListener("popstate", () => {
	if (addressOf(location) !== shown) visit(location.href, "back");
});

// The browser would scroll before the screen is there.
history.scrollRestoration = "manual";
if (history.state?.y) scrollTo(0, history.state.y);
addEventListener("scrollend", remember);
addEventListener("pagehide", remember);

showPlace();
