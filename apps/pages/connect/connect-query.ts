import type { ConnectRequest } from "@svc/connect/connections";
import type { Message } from "../kit/text.ts";
import { Refusal } from "../kit/visit.ts";
import { t } from "./messages.ts";

/** The query parameters of a hosted sign-in. */
export interface ConnectQuery extends ConnectRequest {
	/** Values other than `none` are ignored. */
	readonly prompt?: string | null;
	/** The languages that the App asks for, as it sent them (OpenID Connect Core, 3.1.2.1). */
	readonly uiLocales?: string | null;
	/** The address of whom the App sends, as far as it knows; it is offered, and no code is sent by itself (the same, 3.1.2.1). */
	readonly loginHint?: string | null;
	/** The person wants another address than the one that is offered. */
	readonly other?: boolean;
}

const NAMES: ReadonlySet<string> = new Set([
	"app",
	"redirect_uri",
	"state",
	"prompt",
	"ui_locales",
	"login_hint",
	"other",
]);

/**
 * Read by hand: a parameter that comes twice, or is not UTF-8, must not be taken for something near it, since what is compared and
 * echoed must be what was sent.
 * @throws Refusal 400
 */
export function readConnectQuery(url: URL): ConnectQuery {
	const sent = readQuery(url, NAMES);
	return {
		app: sent("app"),
		redirectUri: sent("redirect_uri"),
		state: sent("state"),
		prompt: sent("prompt"),
		uiLocales: sent("ui_locales"),
		loginHint: sent("login_hint"),
		other: sent("other") !== null,
	};
}

/** Parameters by name, those alone that are named here; null where one was not sent. @throws Refusal 400 */
export function readQuery(url: URL, names: ReadonlySet<string>): (name: string) => string | null {
	const values = new Map<string, string>();
	for (const pair of url.search.slice(1).split("&")) {
		const place = pair.indexOf("=");
		const name = decode(place === -1 ? pair : pair.slice(0, place)) ?? "";
		if (!names.has(name)) continue;
		if (values.has(name)) throw faulty("repeated_parameter", t("fault.repeated", { name }));
		const value = place === -1 ? "" : read(name, pair.slice(place + 1));
		if (value === undefined) throw faulty("malformed_parameter", t("fault.malformed", { name }));
		values.set(name, value);
	}
	return (name) => values.get(name) ?? null;
}

/** The App's own: it comes back unmodified, U+0000 and other controls included. No other parameter has any use for U+0000. */
const ECHOED = "state";

function read(name: string, text: string): string | undefined {
	const value = decode(text);
	return value?.includes("\0") && name !== ECHOED ? undefined : value;
}

/** Undefined for what could not be given back as it came: bytes that are not UTF-8. */
function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return undefined;
	}
}

/** The page for a link of an App that does not work. */
export function faulty(faultCode: string, fault: Message, again?: Refusal["facts"]["again"]): Refusal {
	return new Refusal(400, t("fault.title"), t("fault.then", { fault }), { faultCode, ...(again && { again }) });
}

/** The page where a person begins, with everything that the App asked for. */
export function connectAddress({ app, redirectUri, state, uiLocales = null }: ConnectQuery): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries({ app, redirect_uri: redirectUri, state, ui_locales: uiLocales })) {
		if (value !== null) query.set(name, value);
	}
	return `/connect?${query}`;
}
