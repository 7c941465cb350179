import type { CardFaultCode } from "@svc/billing/payers/billing-card";
import type { ConnectFaultCode, ConnectRequest } from "@svc/connect/connections";
import { createElement, type ReactNode } from "react";
import type { Message } from "../kit/text.ts";
import { PageRefusal } from "../kit/visit.ts";
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

/** What an App adds for the person's ease: one that cannot be read is as good as none. */
const EASE: ReadonlySet<string> = new Set(["login_hint", "ui_locales"]);

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
		const [sentName = "", ...rest] = pair.split("=");
		const name = decode(sentName) ?? "";
		if (!names.has(name)) continue;
		if (values.has(name)) {
			throw faulty("repeated_parameter", t("fault.repeated", { name }), t("about.repeated", { name, code }));
		}
		const value = read(name, rest.join("="));
		if (value !== null) values.set(name, value);
	}
	return (name) => values.get(name) ?? null;
}

/** The App's own: it comes back unmodified, U+0000 and other controls included. No other parameter has any use for U+0000. */
const ECHOED = "state";

/** Null for one that is ignored. @throws Refusal 400 */
function read(name: string, text: string): string | null {
	const value = decode(text);
	if (value !== undefined && (name === ECHOED || !value.includes("\0"))) return value;
	if (EASE.has(name)) return null;
	throw faulty("malformed_parameter", t("fault.malformed", { name }), t("about.malformed", { name, code }));
}

/** Undefined for what could not be given back as it came: bytes that are not UTF-8. */
function decode(text: string): string | undefined {
	try {
		return decodeURIComponent(text.replaceAll("+", " "));
	} catch {
		return undefined;
	}
}

/** Why a link of an App does not work. */
type LinkFault = ConnectFaultCode | CardFaultCode;

/** The page for a link of an App that does not work, for the person and for the App's developer. */
export function faultyLink(
	faultCode: LinkFault,
	url: URL,
	fault: Message,
	again?: PageRefusal["facts"]["again"],
): PageRefusal {
	return faulty(faultCode, fault, ABOUT[faultCode](url), again);
}

const code = (words: ReactNode) => createElement("code", null, words);
const missing = (name: string) => () => t("about.missing", { name, code });

/** What is wrong with which parameter. An address to go to is never repeated: whoever planted it would have it read here. */
const ABOUT = {
	missing_app: missing("app"),
	unknown_app: (url) => t("about.unknown_app", { value: appOf(url), code }),
	app_unavailable: (url) => t("about.app_unavailable", { value: appOf(url), code }),
	missing_redirect_uri: missing("redirect_uri"),
	redirect_uri_not_registered: (url) =>
		t("about.redirect_uri_not_registered", {
			code,
			command: createElement("code", { className: "secret" }, registering(url)),
		}),
	state_too_long: ({ searchParams }) =>
		t("about.state_too_long", { count: [...(searchParams.get("state") ?? "")].length, code }),
	sign_in_disabled: () => t("about.sign_in_disabled", { code }),
} satisfies Record<LinkFault, (url: URL) => Message>;

/** Only what could be an id: nobody has a page of ours say their words. */
function appOf({ searchParams }: URL): string {
	const sent = searchParams.get("app") ?? "";
	return /^[\w-]{1,40}$/.test(sent) ? sent : "…";
}

/**
 * An address on the developer's own machine, and no letter in it that a shell takes for anything: the only one that can be repeated. Whoever
 * planted another would have it registered by the very people whom the page warns.
 */
const OWN_MACHINE = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/[\w.~/-]{0,200})?$/;

function registering(url: URL): string {
	const sent = url.searchParams.get("redirect_uri") ?? "";
	return `svc redirect-uris create '${OWN_MACHINE.test(sent) ? sent : "<the address>"}' --app ${appOf(url)}`;
}

function faulty(
	faultCode: string,
	fault: Message,
	detail: Message,
	again?: PageRefusal["facts"]["again"],
): PageRefusal {
	return new PageRefusal(400, t("fault.title"), t("fault.then", { fault }), {
		faultCode,
		detail,
		...(again && { again }),
	});
}

/** The page where a person begins, with everything that the App asked for. */
export function connectAddress({ app, redirectUri, state, uiLocales = null }: ConnectQuery): string {
	const query = new URLSearchParams();
	for (const [name, value] of Object.entries({ app, redirect_uri: redirectUri, state, ui_locales: uiLocales })) {
		if (value !== null) query.set(name, value);
	}
	return `/connect?${query}`;
}
