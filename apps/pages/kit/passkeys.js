/*
 * Makes and uses passkeys: the only script of the pages. Each form that asks for one is hidden until this runs in a browser that knows
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

async function use(options) {
	const allowCredentials = described(options.allowCredentials);
	const publicKey = { ...options, allowCredentials, challenge: toBytes(options.challenge) };
	const used = await navigator.credentials.get({ publicKey });
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

async function ask(form) {
	const body = new URLSearchParams(new FormData(form));
	const answer = await fetch(form.dataset.options, { method: "POST", body, headers: { Accept: "application/json" } });
	const isNew = form.dataset.passkey === "create";
	// To make one may need a code first: the page that the form leads to asks for it.
	if (!answer.ok && isNew) return form.submit();
	const { id, publicKey } = await answer.json();
	const credential = await (isNew ? create(publicKey) : use(publicKey));
	form.elements.namedItem("options").value = id;
	form.elements.namedItem("credential").value = credential;
	form.submit();
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
	for (const form of document.querySelectorAll("form[data-passkey]")) ready(form);
	for (const instead of document.querySelectorAll("[data-passkey-without]")) instead.hidden = true;
}
