import type { Addresses } from "@svc/base/addresses";
import { cutOff } from "@svc/base/http/cut-off";
import { randomBase62 } from "@svc/base/ids";
import { t } from "./messages.ts";
import { PageRefusal, type Visit } from "./visit.ts";

/* Forms of the hosted pages. */

const MAX_BYTES = 8 * 1_024;
/** The hidden field that only a page of ours can have filled in. */
export const TOKEN_FIELD = "form_token";

export type FormFields = ReadonlyMap<string, string>;

/**
 * The fields of a form, read only where a page of ours sent it.
 * @throws Refusal 403 for a form from elsewhere, 400 for what is no form
 */
export async function readForm(visit: Visit, { web }: Addresses): Promise<FormFields> {
	requireOwnOrigin(visit, web);
	const type = (visit.request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
	if (type !== "application/x-www-form-urlencoded") throw unreadable();
	const fields = new Map<string, string>();
	for (const [name, value] of new URLSearchParams(await readText(visit.request))) {
		if (fields.has(name)) throw unreadable();
		fields.set(name, value);
	}
	return fields;
}

/** A browser says where a form was: in Origin, or at least that it was no other site. */
function requireOwnOrigin({ request, url }: Visit, web: string): void {
	const origin = request.headers.get("origin");
	const scheme = web.slice(0, web.indexOf("://"));
	// On loopback the pages answer under all of its names. An unknown Host does not get this far.
	const own = origin === web || origin === `${scheme}://${url.host}`;
	if (own || (origin === null && request.headers.get("sec-fetch-site") === "same-origin")) return;
	throw new PageRefusal(403, t("form.elsewhere.title"), t("form.elsewhere.text"));
}

async function readText(request: Request): Promise<string> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	let bytes = 0;
	try {
		for await (const chunk of request.body ?? new Blob().stream()) {
			bytes += chunk.length;
			if (bytes > MAX_BYTES) {
				cutOff(request);
				throw new PageRefusal(413, t("form.large.title"), t("form.large.text"));
			}
			text += decoder.decode(chunk, { stream: true });
		}
		return text + decoder.decode();
	} catch (cause) {
		throw cause instanceof PageRefusal ? cause : unreadable();
	}
}

function unreadable(): PageRefusal {
	return new PageRefusal(400, t("form.unreadable.title"), t("form.unreadable.text"));
}

/** The browser's own secret, which forms of people who are not signed in are bound to; made with the first one. */
export function flowSecret({ cookies }: Visit): string {
	const known = cookies.read("flow");
	if (known !== null) return known;
	const made = randomBase62(32);
	// Lax: an App in another tab leads here from its own site and must not replace what the first tab's form is bound to.
	cookies.set("flow", made, { sameSite: "Lax" });
	return made;
}

/** A token in a form that proves that the form belongs to the holder of a secret, without revealing the secret. */
export async function formToken(secret: string): Promise<string> {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`form ${secret}`));
	return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** @throws Refusal 403 where the form is bound to another browser, or to a session that has ended */
export async function requireToken(form: FormFields, secret: string | null, again: string): Promise<void> {
	const sent = form.get(TOKEN_FIELD) ?? "";
	if (secret !== null && equal(sent, await formToken(secret))) return;
	throw new PageRefusal(403, t("form.outdated.title"), t("form.outdated.text"), {
		again: { href: again, label: t("again") },
	});
}

/** Compares in the same time wherever the two differ. */
function equal(left: string, right: string): boolean {
	if (left.length !== right.length) return false;
	let difference = 0;
	for (let place = 0; place < left.length; place++) difference |= left.charCodeAt(place) ^ right.charCodeAt(place);
	return difference === 0;
}
