import type { Addresses } from "@svc/base/addresses";
import { cutOff } from "@svc/base/http/cut-off";
import { randomBase62 } from "@svc/base/ids";
import { t } from "./messages.ts";
import { PageRefusal, type Visit } from "./visit.ts";

/* Forms of the hosted pages. */

const MAX_BYTES = 8 * 1_024;
/** The hidden field that only a page of ours can have filled in. */
export const TOKEN_FIELD = "form_token";

/** A number of its own for each form that is shown: sent along as Idempotency-Key, it makes one of two clicks. */
export function formNumber(): string {
	return randomBase62(22);
}

export type FormFields = ReadonlyMap<string, string>;

/**
 * The fields of a form, read only where a page of ours sent it.
 * @param maxBytes of the whole form
 * @throws Refusal 403 for a form from elsewhere, 400 for what is no form
 */
export async function readForm(visit: Visit, { web }: Addresses, maxBytes = MAX_BYTES): Promise<FormFields> {
	requireOwnOrigin(visit, web);
	const type = (visit.request.headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase();
	if (type !== "application/x-www-form-urlencoded") throw unreadable();
	const fields = new Map<string, string>();
	for (const [name, value] of new URLSearchParams(await readText(visit.request, maxBytes))) {
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
	// A page that tells nobody its address says `null` for its origin.
	const isUnsaid = origin === null || origin === "null";
	if (own || (isUnsaid && request.headers.get("sec-fetch-site") === "same-origin")) return;
	throw new PageRefusal(403, t("form.elsewhere.title"), t("form.elsewhere.text"));
}

/** The fields in the address of a form whose body is read elsewhere. @throws Refusal 403 for a form from elsewhere */
export function addressFields(visit: Visit, { web }: Addresses): FormFields {
	requireOwnOrigin(visit, web);
	return new Map(visit.url.searchParams);
}

async function readText(request: Request, maxBytes: number): Promise<string> {
	const decoder = new TextDecoder("utf-8", { fatal: true });
	let text = "";
	let bytes = 0;
	try {
		for await (const chunk of request.body ?? new Blob().stream()) {
			bytes += chunk.length;
			if (bytes > maxBytes) {
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

/**
 * A token in a form that proves that the form belongs to the holder of a secret, without revealing the secret. It is masked anew each time,
 * so that the size of a compressed page tells nothing of it to somebody who chose another part of the page.
 */
export async function formToken(secret: string): Promise<string> {
	const mask = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES));
	const bare = await bareToken(secret);
	return Buffer.concat([mask, bare.map((byte, place) => byte ^ (mask[place] ?? 0))]).toString("hex");
}

const TOKEN_BYTES = 32;

async function bareToken(secret: string): Promise<Uint8Array> {
	return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`form ${secret}`)));
}

/** @throws Refusal 403 where the form is bound to another browser, or to a session that has ended */
export async function requireToken(form: FormFields, secret: string | null, again: string): Promise<void> {
	if (secret !== null && (await isTokenOf(secret, form.get(TOKEN_FIELD) ?? ""))) return;
	throw new PageRefusal(403, t("form.outdated.title"), t("form.outdated.text"), {
		again: { href: again, label: t("again") },
	});
}

/** Compares in the same time wherever the two differ. */
async function isTokenOf(secret: string, sent: string): Promise<boolean> {
	if (!/^[0-9a-f]{128}$/.test(sent)) return false;
	const bytes = Buffer.from(sent, "hex");
	const bare = await bareToken(secret);
	let difference = 0;
	for (let place = 0; place < TOKEN_BYTES; place++)
		difference |= (bytes[place] ?? 0) ^ (bytes[TOKEN_BYTES + place] ?? 0) ^ (bare[place] ?? 0);
	return difference === 0;
}
