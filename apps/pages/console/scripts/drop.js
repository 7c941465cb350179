/*
 * Files and whole folders that are dropped or chosen go to the address of the upload form, some at once. Each has a number of its own, which is
 * the same whenever it is sent: what arrived on a connection that broke makes no second image. The list of them stands beside the screen and stays
 * while one walks on; it shows what is under way and what needs somebody, never thousands of rows.
 */

const AT_ONCE = 3;
/** Refused files that have a row; the others are counted. */
const ROWS_MAX = 50;
/** Tries of one file before somebody has to ask for another. */
const TRIES = 4;
/** A connection over which nothing moves for so long is taken for a broken one. */
const STALLED_MS = 90_000;
const FOLDER_MAX = 128;

/**
 * Where files go, as the page says.
 * @typedef {object} Target
 * @property {string} action
 * @property {string} list the screen that shows what was uploaded
 * @property {boolean} leads to a single file, once it is there
 */

/**
 * @typedef {object} Found
 * @property {string} path with its folders
 * @property {() => Promise<File>} open
 */

/** @typedef {Found & { name: string, folder: string, number: string, to: Target, tries: number, sent: number, row?: Element, request?: XMLHttpRequest }} Item */

/** @type {Item[]} */
let waiting = [];
/** @type {Set<Item>} */
const running = new Set();
/** @type {Item[]} */
let refused = [];
let [total, done] = [0, 0];
/** @type {HTMLElement | null} */
let panel = null;
/** Where the last file that is shown by itself leads to. @type {string | undefined} */
let single;
/** The service asked to be left alone until then, by `performance.now()`. */
let pausedUntilMs = 0;
let isShownSoon = false;

/** @template {HTMLElement} [T=HTMLElement] @param {ParentNode | null | undefined} within @param {string} selector @returns {T | null} */
function part(within, selector) {
	return within?.querySelector(selector) ?? null;
}

const isOpen = () => running.size + waiting.length > 0;
/** What the page says to whoever may upload, in the form that takes files. */
const findTold = () => part(document, "form [data-drop]");

/** @returns {Target | undefined} */
function findTarget() {
	const told = findTold();
	const action = told?.closest("form")?.action;
	return told && action
		? { action, list: told.dataset.drop ?? "", leads: told.dataset.leads !== undefined }
		: undefined;
}

/** Files of the form start by themselves, and there may be several. */
function prepare() {
	const told = findTold();
	if (!told) return;
	told.hidden = false;
	const form = told.closest("form");
	/** @type {HTMLInputElement | null} */ (part(form, "[name=file]"))?.toggleAttribute("multiple", true);
	part(form, "button[type=submit]")?.toggleAttribute("hidden", true);
}

/** A text with its figures. @param {string | undefined} words @param {Record<string, string | number>} values */
function filled(words = "", values = {}) {
	return words.replace(/\{(\w+)\}/g, (_, name) => (values[name] ?? "").toLocaleString(document.documentElement.lang));
}

/** A text of the page. @param {string} name @param {Record<string, string | number>} [values] */
function text(name, values) {
	return filled(panel?.dataset[name], values);
}

/** @param {string} words */
function say(words) {
	document.dispatchEvent(new CustomEvent("say", { detail: { text: words } }));
}

/** Not randomUUID, which browsers have on pages over TLS alone. */
function newNumber() {
	return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The folder as a label can hold it. @param {string} path */
function labelOf(path) {
	const folder = path.split("/").slice(0, -1).join("/").replace(/^\/+/, "");
	const label = [...folder.replaceAll(",", ";").trim()].slice(-FOLDER_MAX).join("").trim();
	return { label, isChanged: label !== folder };
}

/** @param {readonly Found[]} found @param {Target} to */
function add(found, to) {
	// What an operating system hides in folders is nobody's picture.
	const seen = found.filter(({ path }) => !/(^|\/)(\.[^/]*|Thumbs\.db|desktop\.ini)$/i.test(path));
	if (seen.length === 0 || !showPanel()) return;
	if (!isOpen()) [total, done, single] = [refused.length, 0, undefined];
	total += seen.length;
	for (const { path, open } of seen) {
		const { label: folder, isChanged } = labelOf(path);
		const name = path.split("/").at(-1) ?? "";
		waiting.push({ path, open, name, folder, number: newNumber(), to, tries: 0, sent: 0 });
		if (isChanged) tell("[data-changed]", { folder });
	}
	say(text("started", { total }));
	panel?.scrollIntoView({ block: "nearest" });
	work();
}

/** Shows a line of the panel. @param {string} selector @param {Record<string, string | number> | undefined} values undefined: it is not shown */
function tell(selector, values) {
	const line = part(panel, selector);
	if (!line) return;
	line.hidden = values === undefined;
	line.textContent = filled(Object.values(line.dataset)[0], values);
}

/** @param {FileSystemEntry} entry @returns {Promise<readonly Found[]>} */
async function filesOf(entry) {
	if (entry.isFile) {
		const file = /** @type {FileSystemFileEntry} */ (entry);
		return [{ path: entry.fullPath, open: () => new Promise((resolve, reject) => file.file(resolve, reject)) }];
	}
	const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
	const found = [];
	for (;;) {
		/** @type {FileSystemEntry[]} */
		const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
		// A reader gives a hundred at a time, and none at the end.
		if (some.length === 0) return found;
		for (const one of some) found.push(...(await filesOf(one)));
	}
}

/** @param {Iterable<File>} files */
function chosen(files) {
	return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, open: async () => file }));
}

function work() {
	const leftMs = pausedUntilMs - performance.now();
	if (leftMs > 0 && waiting.length > 0) setTimeout(work, leftMs);
	while (leftMs <= 0 && running.size < AT_ONCE) {
		const next = waiting.shift();
		if (!next) break;
		running.add(next);
		addRow(next);
		start(next);
	}
	show();
	if (!isOpen()) end();
}

/** @param {Item} item */
function start(item) {
	item.sent = 0;
	send(item).catch(() => refuse(item, text("unread")));
}

/** @param {Item} item */
async function send(item) {
	const file = await item.open();
	if (file.type !== "" && !file.type.startsWith("image/")) return refuse(item, text("type", { type: file.type }));
	const address = new URL(item.to.action);
	address.searchParams.set("number", item.number);
	const body = new FormData();
	if (item.folder) body.set("labels", JSON.stringify({ folder: item.folder }));
	body.set("file", file, item.name);
	const request = new XMLHttpRequest();
	item.request = request;
	request.open("POST", address);
	request.responseType = "json";
	request.setRequestHeader("Accept", "application/json");
	let stalled = setTimeout(() => request.abort(), STALLED_MS);
	request.upload.addEventListener("progress", ({ loaded, total: bytes }) => {
		clearTimeout(stalled);
		stalled = setTimeout(() => request.abort(), STALLED_MS);
		item.sent = loaded / Math.max(1, bytes);
		show();
	});
	request.addEventListener("loadend", () => {
		clearTimeout(stalled);
		// Else it was cancelled.
		if (running.has(item)) answered(item, request);
	});
	request.send(body);
}

/** @param {Item} item @param {XMLHttpRequest} request */
function answered(item, request) {
	const { status, response } = request;
	const asked = Number(request.getResponseHeader("Retry-After")) || 2;
	if (status === 201) taken(item, response.address);
	else if (status === 429 || status === 503) waitFor(item, asked);
	else if (response?.error?.code === "idempotency_key_in_progress") again(item, asked);
	else if (status > 0 && status < 500) refuse(item, response?.error ? reasonOf(response.error) : text("lost"));
	else if (++item.tries < TRIES) again(item, 2 ** (item.tries - 1));
	else refuse(item, text("cut"));
}

/** @param {{ readonly message: string, readonly details?: Readonly<Record<string, readonly string[]>> }} error */
function reasonOf({ message, details = {} }) {
	const faults = Object.entries(details).map(([field, all]) => `${field} ${all.join(", ")}`);
	return faults.join(". ") || message;
}

/** @param {Item} item @param {string} address */
function taken(item, address) {
	done += 1;
	single = item.to.leads ? address : undefined;
	running.delete(item);
	item.row?.remove();
	work();
}

/** All of them wait as long as the service asks for. @param {Item} item @param {number} seconds */
function waitFor(item, seconds) {
	pausedUntilMs = Math.max(pausedUntilMs, performance.now() + seconds * 1_000);
	running.delete(item);
	item.row?.remove();
	waiting.unshift(item);
	work();
}

/** Sends it once more, while the others go on. @param {Item} item @param {number} seconds */
function again(item, seconds) {
	setTimeout(() => running.has(item) && start(item), seconds * 1_000);
}

/** @param {Item} item @param {string} why */
function refuse(item, why) {
	running.delete(item);
	refused.push(item);
	if (refused.length > ROWS_MAX) item.row?.remove();
	else {
		const [, bar, reason] = item.row?.children ?? [];
		bar?.remove();
		reason?.append(why);
	}
	work();
}

function retry() {
	for (const item of refused) {
		item.row?.remove();
		waiting.push(Object.assign(item, { tries: 0, sent: 0 }));
	}
	refused = [];
	work();
}

function cancel() {
	const left = [...running];
	total -= left.length + waiting.length;
	[waiting, pausedUntilMs] = [[], 0];
	running.clear();
	for (const { request, row } of left) {
		request?.abort();
		row?.remove();
	}
	work();
}

function ended() {
	const failed = refused.length;
	return text(failed > 0 ? "ended" : "all", { done, failed });
}

function end() {
	say(ended());
	const { list, leads } = findTarget() ?? {};
	if (done === 0 || !list) return;
	const isTyping = document.activeElement?.matches("main :is(input:not([type=checkbox], [type=file]), textarea)");
	if (single && total === 1) go(single);
	else if (location.pathname === list && !isTyping) go(location.href);
	else if (leads) go(list);
}

/** @param {string} address */
function go(address) {
	if (document.dispatchEvent(new CustomEvent("go", { cancelable: true, detail: { address } })))
		location.assign(address);
}

function showPanel() {
	/** @type {HTMLTemplateElement | null} */
	const template = part(document, "template#uploads");
	if (panel || !template) return panel !== null;
	part(document, "main")?.before(template.content.cloneNode(true));
	panel = part(document, "aside.uploads");
	panel?.addEventListener("click", ({ target }) => {
		const act = target instanceof HTMLButtonElement ? target.dataset.act : undefined;
		if (act === "retry") retry();
		if (act === "cancel") cancel();
		if (act === "close") close();
	});
	return true;
}

function close() {
	panel?.remove();
	[panel, refused] = [null, []];
}

/** @param {Item} item */
function addRow(item) {
	/** @type {HTMLTemplateElement | null} */
	const template = part(panel, "template");
	const row = document.importNode(template?.content ?? document.createDocumentFragment(), true).firstElementChild;
	if (!row) return;
	const name = item.folder ? `${item.folder}/${item.name}` : item.name;
	const [file, bar] = row.children;
	if (file) file.textContent = name;
	bar?.setAttribute("aria-label", name);
	item.row = row;
	part(panel, "ul")?.append(row);
}

/** At most once in each frame that the browser draws. */
function show() {
	if (!isShownSoon) requestAnimationFrame(draw);
	isShownSoon = true;
}

function draw() {
	isShownSoon = false;
	const failed = refused.length;
	const open = isOpen();
	const waits = open && pausedUntilMs > performance.now() ? ` ${text("waits")}` : "";
	const summary = part(panel, "[data-summary]");
	if (summary) summary.textContent = open ? text("going", { done, total }) + waits : ended();
	const hidden = { retry: failed === 0, cancel: !open, close: open };
	for (const [act, isHidden] of Object.entries(hidden))
		part(panel, `[data-act=${act}]`)?.toggleAttribute("hidden", isHidden);
	let sent = done + failed;
	for (const item of running) {
		sent += item.sent;
		const bar = item.row?.querySelector("progress");
		if (bar) bar.value = item.sent;
	}
	/** @type {HTMLProgressElement | null} */
	const bar = part(panel, "progress");
	if (bar) [bar.max, bar.value, bar.hidden] = [total, sent, !open];
	tell("[data-more]", failed > ROWS_MAX ? { more: failed - ROWS_MAX } : undefined);
}

/** @param {DragEvent} event */
function isForUs({ dataTransfer }) {
	return findTold() !== null && dataTransfer?.types.includes("Files");
}

document.addEventListener("dragover", (event) => {
	if (!isForUs(event)) return;
	event.preventDefault();
	document.body.toggleAttribute("data-over", true);
});

document.addEventListener("dragleave", ({ relatedTarget }) => {
	if (relatedTarget === null) document.body.toggleAttribute("data-over", false);
});

document.addEventListener("drop", async (event) => {
	document.body.toggleAttribute("data-over", false);
	const to = findTarget();
	if (!to || !isForUs(event)) return;
	event.preventDefault();
	// Both are empty once this function has waited for something.
	const entries = [...(event.dataTransfer?.items ?? [])].map((item) => item.webkitGetAsEntry());
	const files = chosen(event.dataTransfer?.files ?? []);
	const known = entries.filter((entry) => entry !== null);
	add(known.length > 0 ? (await Promise.all(known.map(filesOf))).flat() : files, to);
});

document.addEventListener("change", ({ target }) => {
	const to = findTarget();
	if (!to || !(target instanceof HTMLInputElement) || target.type !== "file") return;
	if (target.form !== findTold()?.closest("form")) return;
	add(chosen(target.files ?? []), to);
	target.value = "";
});

addEventListener("beforeunload", (event) => {
	if (isOpen()) event.preventDefault();
});

document.addEventListener("shown", prepare);
prepare();
