import { LOCALES, type Locale } from "@svc/base/enumerations";
import { acceptedTags, findLocale } from "@svc/base/words/languages";
import { chooseLocale } from "@svc/people/me";
import { readForm } from "../kit/form.ts";
import type { PagesRooms } from "../kit/rooms.ts";
import { type PageResult, type Route, redirect, type Visit } from "../kit/visit.ts";
import { findSignedIn } from "./signed-in.ts";

/* The language of the pages: who reads it, and how it is changed. */

/** The longest time for which browsers keep a cookie. */
const COOKIE_SECONDS = 400 * 86_400;

/**
 * What the App asks for that leads to the sign-in, then what the person has chosen, in the account or in this browser, then what the
 * browser asks for, then English.
 */
export async function localeOf(rooms: PagesRooms, visit: Visit): Promise<Locale> {
	return (await chosen(rooms, visit)) ?? findLocale(browserTags(visit)) ?? LOCALES[0];
}

async function chosen(rooms: PagesRooms, visit: Visit): Promise<Locale | undefined> {
	const asked = askedFor(visit.url);
	if (asked) return asked;
	const person = await findSignedIn(rooms, visit);
	return person?.account.locale ?? findLocale([visit.cookies.read("language") ?? ""]);
}

/** Without the database, for pages that say that it is away. */
export function browserLocale(visit: Visit): Locale {
	const tags = [visit.cookies.read("language") ?? "", ...browserTags(visit)];
	return askedFor(visit.url) ?? findLocale(tags) ?? LOCALES[0];
}

function browserTags({ request }: Visit): readonly string[] {
	return acceptedTags(request.headers.get("accept-language") ?? "");
}

/** `ui_locales` of an App's link (OpenID Connect Core, 3.1.2.1), all through the sign-in that it leads to. */
function askedFor({ pathname, searchParams }: URL): Locale | undefined {
	if (pathname !== "/connect" && !pathname.startsWith("/connect/")) return undefined;
	return findLocale((searchParams.get("ui_locales") ?? "").split(" "));
}

export function languageRoutes(rooms: PagesRooms): Route[] {
	return [{ path: "/language", get: async () => redirect("/"), post: (visit) => change(rooms, visit) }];
}

/** The switch below every page, and the form in the account. It has no token, so that pages which caches keep hold no secret: our own origin is enough. */
async function change(rooms: PagesRooms, visit: Visit): Promise<PageResult> {
	const form = await readForm(visit, rooms.addresses);
	const to = ownAddress(visit.request.headers.get("referer") ?? "", rooms.addresses.web);
	const sent = form.get("locale");
	const locale = LOCALES.find((one) => one === sent);
	const person = await findSignedIn(rooms, visit);
	if (!locale) {
		// What the browser asks for; anything else is no language.
		if (sent === "" && person) await chooseLocale(rooms.people, person, null);
		if (sent === "") visit.cookies.clear("language");
		return redirect(to.path);
	}
	if (person) await chooseLocale(rooms.people, person, locale);
	else visit.cookies.set("language", locale, { sameSite: "Lax", maxAge: COOKIE_SECONDS });
	return redirect(to.in(locale));
}

/**
 * Where the person comes from: a path of ours, or home. A page does not name its own address: then all that are not there look alike.
 */
function ownAddress(sent: string, web: string) {
	const url = URL.parse(sent, web);
	// A path of two slashes would be another host.
	const own = url?.origin === new URL(web).origin && !url.pathname.startsWith("//") ? url : new URL(web);
	return {
		path: `${own.pathname}${own.search}`,
		/** What an App asked for is no longer what the person wants. */
		in(locale: Locale): string {
			if (askedFor(own)) own.searchParams.set("ui_locales", locale);
			return `${own.pathname}${own.search}`;
		},
	};
}
