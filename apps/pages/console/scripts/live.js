/*
 * Waits for what happens to the App that is shown, where the screen says so by `data-live`, while the tab is seen. A link tells that there
 * is something new (`link`, with `{n}` for how much), or the screen is shown anew (`again`); `poll` is for what the feed does not tell.
 * Without it a reload does the same.
 */

/** However much happens, a screen is not shown anew more often than this, in milliseconds. */
const REST_MS = 2_000;
const POLL_MS = 1_000;
/** After the service could not be reached, or said that it was asked too often. */
const TROUBLE_MS = 15_000;

/** @type {AbortController | undefined} */
let waiting;

/** @param {number} ms @param {AbortSignal} signal */
function pause(ms, signal) {
	return new Promise((resolve) => {
		const timer = setTimeout(resolve, ms);
		signal.addEventListener("abort", () => clearTimeout(timer));
	});
}

function showAgain() {
	document.dispatchEvent(new CustomEvent("go", { cancelable: true, detail: { address: location.href, again: true } }));
}

/** @typedef {{ readonly after: string, readonly events: number, readonly images: number }} News */

/**
 * @param {HTMLElement} place
 * @param {string} after
 * @param {AbortSignal} signal
 * @returns {Promise<News | undefined>} undefined for nothing, for now
 * @throws {Error} where nobody is told any more
 */
async function ask(place, after, signal) {
	const { feed = "", count = "" } = place.dataset;
	const query = new URLSearchParams(location.search);
	query.set("after", after);
	query.set("count", count);
	const answer = await fetch(`${feed}?${query}`, { signal, headers: { Accept: "application/json" } }).catch(
		() => undefined,
	);
	if (answer === undefined || answer.status === 429 || answer.status >= 500) return undefined;
	if (!answer.headers.get("Content-Type")?.startsWith("application/json")) throw new Error("no feed");
	return await answer.json();
}

/** @param {HTMLElement} place @param {AbortSignal} signal */
async function follow(place, signal) {
	let [after, count] = ["", 0];
	for (;;) {
		const news = await ask(place, after, signal);
		if (signal.aborted) return;
		if (!news) {
			await pause(TROUBLE_MS, signal);
			continue;
		}
		after = news.after;
		if (news.events === 0) continue;
		count += place.dataset.count === "images" ? news.images : news.events;
		tell(place, count);
		await pause(REST_MS, signal);
	}
}

/** What the feed does not tell is looked at again and again. @param {AbortSignal} signal */
async function poll(signal) {
	for (;;) {
		await pause(POLL_MS, signal);
		showAgain();
	}
}

/** @param {HTMLElement} place @param {number} count */
function tell(place, count) {
	if (place.dataset.live === "again") return showAgain();
	if (count === 0) return;
	const link = place.querySelector("a");
	const text = place.dataset.text?.replace("{n}", String(count));
	if (!link || !text || link.textContent === text) return;
	link.textContent = text;
	place.hidden = false;
	document.dispatchEvent(new CustomEvent("say", { detail: { text } }));
}

function start() {
	waiting?.abort();
	const place = document.querySelector("[data-live]");
	if (!(place instanceof HTMLElement) || document.hidden) return;
	waiting = new AbortController();
	const { signal } = waiting;
	(place.dataset.live === "poll" ? poll(signal) : follow(place, signal)).catch(() => undefined);
}

document.addEventListener("shown", start);
document.addEventListener("visibilitychange", start);
start();
