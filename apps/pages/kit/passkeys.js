/*
 * Makes and uses passkeys. Each form that asks for one is hidden until this runs in a browser that knows
 * passkeys. When it is sent, options are asked for, the browser asks the person, and the form goes out with the answer, as any form does.
 */

/** Bytes of base64url. */
function toBytes(text) {
	const padded = text.replace(/-/g, "+").replace(/_/g, "/");
	return Uint8Array.from(atob(padded), (letter) => letter.charCodeAt(0));
}

/** Base64url of bytes; undefined where there are none. */
function toText(buffer) {
	if (!buffer) return undefined;
	const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte));
	return btoa(letters.join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function described(list) {
	return (list || []).map((one) => ({ ...one, id: toBytes(one.id) }));
}

async function create(options) {
	const user = { ...options.user, id: toBytes(options.user.id) };
	const excludeCredentials = described(options.excludeCredentials);
	const publicKey = { ...options, user, excludeCredentials, challenge: toBytes(options.challenge) };
	const made = await navigator.credentials.create({ publicKey });
	const { response } = made;
	const transports = response.getTransports ? response.getTransports() : [];
	return answerOf(made, { attestationObject: toText(response.attestationObject), transports });
}

async function use(options, waiting) {
	const allowCredentials = described(options.allowCredentials);
	const publicKey = { ...options, allowCredentials, challenge: toBytes(options.challenge) };
	const used = await navigator.credentials.get({ publicKey, ...waiting });
	const { authenticatorData, signature, userHandle } = used.response;
	return answerOf(used, {
		authenticatorData: toText(authenticatorData),
		signature: toText(signature),
		userHandle: toText(userHandle),
	});
}

function answerOf(credential, response) {
	const id = toText(credential.rawId);
	const clientDataJSON = toText(credential.response.clientDataJSON);
	return JSON.stringify({ id, rawId: id, type: credential.type, response: { clientDataJSON, ...response } });
}

function optionsOf(form, more) {
	const body = new URLSearchParams([...new FormData(form), ...more]);
	return fetch(form.dataset.options, { method: "POST", body, headers: { Accept: "application/json" } });
}

async function ask(form) {
	const answer = await optionsOf(form, []);
	const isNew = form.dataset.passkey === "create";
	// To make one may need a code first: the page that the form leads to asks for it.
	if (!answer.ok && isNew) return form.submit();
	const { id, publicKey } = await answer.json();
	send(form, id, await (isNew ? create(publicKey) : use(publicKey)));
}

function send(form, id, credential) {
	form.elements.namedItem("options").value = id;
	form.elements.namedItem("credential").value = credential;
	form.submit();
}

/** What the service gives is good for 5 minutes. */
const OFFERED_MS = 4 * 60 * 1000;

/** Passkeys are offered in the field for the address. Nothing is said where nobody takes one, or there is none. */
function offer(form, field) {
	let waiting = new AbortController();
	let offeredMs = 0;
	async function again() {
		if (Date.now() - offeredMs < OFFERED_MS) return;
		offeredMs = Date.now();
		waiting.abort();
		waiting = new AbortController();
		const answer = await optionsOf(form, [["offered", "1"]]);
		if (!answer.ok) return;
		const { id, publicKey } = await answer.json();
		send(form, id, await use(publicKey, { mediation: "conditional", signal: waiting.signal }));
	}
	function offered() {
		again().catch(() => undefined);
	}
	// Whoever presses the button is asked by that: a browser asks one thing at a time.
	form.addEventListener("submit", () => waiting.abort());
	field.addEventListener("focus", offered);
	offered();
}

async function offerIn(field) {
	const form = document.querySelector("form[data-passkey=get]");
	const can = await window.PublicKeyCredential.isConditionalMediationAvailable?.();
	if (form && can) offer(form, field);
}

/** Cancelled, not there, or a connection that was lost: the browsers' own words for it are nobody's language. */
function failed(form) {
	const fault = form.querySelector("[data-passkey-fault]");
	fault.hidden = false;
	fault.focus();
}

function ready(form) {
	form.hidden = false;
	form.querySelector("[data-passkey-first]")?.focus();
	let asking = false;
	form.addEventListener("submit", async (event) => {
		event.preventDefault();
		if (asking) return;
		asking = true;
		form.querySelector("[data-passkey-fault]").hidden = true;
		await ask(form).catch(() => failed(form));
		asking = false;
	});
}

if (window.PublicKeyCredential && navigator.credentials) {
	for (const field of document.querySelectorAll("input[autocomplete~=webauthn]")) offerIn(field).catch(() => undefined);
	for (const form of document.querySelectorAll("form[data-passkey]")) ready(form);
	for (const instead of document.querySelectorAll("[data-passkey-without]")) instead.hidden = true;
}
