import type { Client } from "../client.ts";
import { ApiError } from "../failure.ts";
import type { AuthContext } from "../shapes.ts";
import { randomText, type Seal, sealOf } from "./sealed.ts";

/* How people sign in to an App, whatever framework it has: `hono.ts`, `express.ts` and `next.ts` carry requests in and answers out. */

/** How people sign in to an App. One object, made once, for all four functions. */
export interface People {
	/** Of `createClient`, with an App-wide key. */
	readonly client: Client;
	/** Where `callback` is found, as it is registered: `svc redirect-uris create`. Its origin is the App's. */
	readonly redirectUri: string;
	/** At least 16 characters that nobody guesses; it seals the cookies. The same on all servers of the App. */
	readonly secret: string;
	/** Where `signIn` is found. Default: `/sign-in`. */
	readonly signInPath?: string | undefined;
	/** Where people go then, unless they came for another page. Default: `/`. */
	readonly afterSignIn?: string | undefined;
}

/** Who is signed in. `id` (`usr_…`) is who they are, also when the address changes. */
export type User = AuthContext["user"];

/** A request, of whatever framework. */
export interface Visit {
	/** With its query; an origin in it counts for nothing. */
	readonly url: string;
	readonly method: string;
	header(name: string): string | undefined;
}

/** What the four functions do. */
export interface Gate {
	signIn(visit: Visit): Promise<Response>;
	callback(visit: Visit): Promise<Response>;
	signOut(visit: Visit): Promise<Response>;
	/** Undefined for a visitor, and for who has left the App, at the latest a minute after it. */
	findUser(visit: Visit): Promise<User | undefined>;
	/** What a visitor gets where a user is required. */
	refuse(visit: Visit): Response;
	isPage(visit: Visit): boolean;
	readonly signInPath: string;
}

/** What is sealed in the cookie of a sign-in that has begun. */
interface Begun {
	readonly state: string;
	readonly next: string;
	readonly isSilent: boolean;
	readonly endsMs: number;
}

interface Session {
	readonly user: User;
	readonly endsMs: number;
}

const SECRET_MIN = 16;
const SIGN_IN_S = 3_600;
const SESSION_S = 30 * 86_400;
/** For how long somebody counts as connected without being asked for. */
const CONNECTED_MS = 60_000;
const USERS_MAX = 10_000;

/** Whether a call failed because its user has left the App. */
export function hasLeft(error: unknown): boolean {
	return error instanceof ApiError && error.code === "user_forbidden";
}

const gates = new WeakMap<People, Gate>();

/**
 * The gate of these people: the same for each function, so that who has just signed in is not asked for again.
 * @throws TypeError for what would never work, or let others in
 */
export function gateOf(name: string, people: People): Gate {
	const gate = gates.get(people) ?? openGate(name, people);
	gates.set(people, gate);
	return gate;
}

function openGate(name: string, people: People): Gate {
	const { client, redirectUri, secret, signInPath = "/sign-in", afterSignIn = "/" } = people;
	const home = homeOf(name, redirectUri);
	if (secret.length < SECRET_MIN)
		throw new TypeError(`${name}: secret must have at least ${SECRET_MIN} characters; its value is not shown.`);
	for (const [option, path] of Object.entries({ signInPath, afterSignIn }))
		if (localPath(path, home) === undefined)
			throw new TypeError(`${name}: ${option} must be a path of this App, as /.`);
	const seal = sealOf(secret, redirectUri);
	const cookies = cookiesOf(home);
	const connected = connectedUsers(client);

	async function begin(next: string, isSilent: boolean): Promise<Response> {
		const state = randomText();
		const begun: Begun = { state, next, isSilent, endsMs: Date.now() + SIGN_IN_S * 1_000 };
		const [location, sealed] = await Promise.all([
			client.connectUrl({ redirectUri, state, silent: isSilent }),
			seal.close(begun, "state"),
		]);
		return redirect(location, [cookies.set("state", sealed, SIGN_IN_S)]);
	}

	/** Only the path and the query of a request count: a host is what its sender says. */
	const urlOf = ({ url }: Visit) => new URL(url.startsWith("/") ? home.origin + url : url);

	/** Where to go once signed in: never a page that signs in, and never another site. */
	function nextOf(visit: Visit): string {
		const asked = urlOf(visit).searchParams.get("next");
		const path = asked === null ? undefined : localPath(asked, home);
		const bare = path?.split("?", 1)[0];
		return path === undefined || bare === signInPath || bare === home.pathname ? afterSignIn : path;
	}

	function fail(status: number, title: string): Response {
		return page(status, title, signInPath, [cookies.clear("state")]);
	}

	return {
		signInPath,
		isPage,
		signIn: async (visit) => await begin(nextOf(visit), cookies.read(visit, "out").length === 0),

		async callback(visit) {
			const query = urlOf(visit).searchParams;
			const begun = await openOne<Begun>(seal, cookies.read(visit, "state"), "state");
			// Whoever comes without the state of this very browser was sent by somebody else, who may want them signed in as another.
			if (begun === undefined || query.get("state") !== begun.state) return fail(400, "This sign-in is over");
			const [code, error] = [query.get("code"), query.get("error")];
			if (error === "interaction_required" && begun.isSilent) return await begin(begun.next, false);
			if (error !== null || code === null) return fail(403, "You are not signed in");
			const user = await client.exchange(code).then(
				(context) => context.user,
				(failure: unknown) => {
					if (failure instanceof ApiError && failure.code === "invalid_code") return undefined;
					throw failure;
				},
			);
			if (user === undefined) return fail(400, "This sign-in is over");
			connected.note(user.id);
			const session: Session = { user, endsMs: Date.now() + SESSION_S * 1_000 };
			const sealed = await seal.close(session, "user");
			return redirect(begun.next, [
				cookies.set("user", sealed, SESSION_S),
				cookies.clear("state"),
				cookies.clear("out"),
			]);
		},

		async signOut(visit) {
			if (!isOwn(visit, home)) return page(403, "This page cannot sign you out", "/", []);
			// From now on the card is shown: who signs out may want to come back as somebody else.
			return redirect("/", [cookies.clear("user"), cookies.clear("state"), cookies.set("out", "1", SESSION_S)]);
		},

		async findUser(visit) {
			const session = await openOne<Session>(seal, cookies.read(visit, "user"), "user");
			return session && (await connected.has(session.user.id)) ? session.user : undefined;
		},

		refuse(visit) {
			const stale = cookies.read(visit, "user").length > 0 ? [cookies.clear("user")] : [];
			if (!isPage(visit)) return notSignedIn(signInPath, stale);
			const { pathname, search } = urlOf(visit);
			const next = visit.method === "GET" ? `?next=${encodeURIComponent(pathname + search)}` : "";
			return redirect(signInPath + next, stale);
		},
	};
}

/** @throws TypeError for what is no address of a web server */
function homeOf(name: string, redirectUri: string): URL {
	const url = /^https?:\/\//i.test(redirectUri) && URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
	if (url) return url;
	throw new TypeError(`${name}: redirectUri must be a whole address, as https://app.example.com/callback.`);
}

/** The path and query of an address of this App; undefined for an address of another site, however it is written. */
function localPath(text: string, home: URL): string | undefined {
	if (!/^\/(?![/\\])/.test(text) || !URL.canParse(text, home)) return undefined;
	const url = new URL(text, home);
	const path = url.pathname + url.search;
	// A path of `/.//elsewhere` becomes `//elsewhere`, which a browser takes for a host.
	return url.origin === home.origin && !path.startsWith("//") ? path : undefined;
}

type CookieName = "user" | "state" | "out";

/** The cookies of this App: a host's are shared by all of its ports, so that their names tell Apps apart. */
function cookiesOf({ protocol, origin, pathname }: URL) {
	const isSecure = protocol === "https:";
	let hash = 0;
	for (const character of origin + pathname) hash = (Math.imul(hash, 31) + character.charCodeAt(0)) >>> 0;
	// With the prefix no other host of the domain can plant one.
	const named = (name: CookieName) => `${isSecure ? "__Host-" : ""}app_${name}_${hash.toString(36)}`;
	const rest = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
	return {
		set: (name: CookieName, value: string, seconds: number) => `${named(name)}=${value}; Max-Age=${seconds}; ${rest}`,
		clear: (name: CookieName) => `${named(name)}=; Max-Age=0; ${rest}`,
		/** All that came with this name: an older one may stand before the App's own. */
		read(visit: Visit, name: CookieName): readonly string[] {
			const start = `${named(name)}=`;
			const all = (visit.header("cookie") ?? "").split(/; */);
			return all.filter((one) => one.startsWith(start) && one !== start).map((one) => one.slice(start.length));
		},
	};
}

/** The first that this App has sealed, and that has not ended. */
async function openOne<T extends { readonly endsMs: number }>(
	seal: Seal,
	texts: readonly string[],
	purpose: CookieName,
): Promise<T | undefined> {
	for (const text of texts.slice(0, 5)) {
		const value = (await seal.open(text, purpose)) as T | undefined;
		if (value !== undefined && value.endsMs > Date.now()) return value;
	}
	return undefined;
}

/** Who is connected, asked for at most once a minute each. */
function connectedUsers(client: Client) {
	const askedMs = new Map<string, number>();

	function note(id: string): void {
		askedMs.delete(id);
		askedMs.set(id, Date.now());
		const [oldest] = askedMs.keys();
		if (askedMs.size > USERS_MAX && oldest !== undefined) askedMs.delete(oldest);
	}

	return {
		note,
		/** @throws ApiError, ConnectionError where the service does not say */
		async has(id: string): Promise<boolean> {
			if (Date.now() - (askedMs.get(id) ?? Number.NEGATIVE_INFINITY) < CONNECTED_MS) return true;
			try {
				await client.forUser(id).usage.get();
			} catch (error) {
				if (hasLeft(error)) return false;
				throw error;
			}
			note(id);
			return true;
		},
	};
}

/** Whether a browser wants to show what it gets. Older browsers say it by what they accept alone. */
function isPage(visit: Visit): boolean {
	const mode = visit.header("sec-fetch-mode");
	return mode === undefined ? /\btext\/html\b/i.test(visit.header("accept") ?? "") : mode === "navigate";
}

/** Whether the request comes from a page of this App, as far as the browser says. */
function isOwn(visit: Visit, home: URL): boolean {
	const site = visit.header("sec-fetch-site");
	if (site !== undefined) return site === "same-origin" || site === "none";
	const origin = visit.header("origin");
	return origin === undefined || origin === home.origin;
}

function answer(
	status: number,
	headers: Readonly<Record<string, string>>,
	cookies: readonly string[],
	body: string | null,
) {
	const response = new Response(body, { status, headers: { "Cache-Control": "no-store", ...headers } });
	for (const cookie of cookies) response.headers.append("Set-Cookie", cookie);
	return response;
}

function redirect(location: string, cookies: readonly string[]): Response {
	// The address of a callback holds a code, which is nobody else's affair.
	return answer(303, { Location: location, "Referrer-Policy": "no-referrer" }, cookies, null);
}

function notSignedIn(signInPath: string, cookies: readonly string[]): Response {
	const error = { type: "authentication_error", code: "unauthorized", message: `Sign in first: ${signInPath}` };
	return answer(401, { "Content-Type": "application/json" }, cookies, JSON.stringify({ error }));
}

function page(status: number, title: string, path: string, cookies: readonly string[]): Response {
	const href = path.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
	const html = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p><a href="${href}">${path === "/" ? "Go back" : "Sign in"}</a></p></html>`;
	const headers = {
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		"Referrer-Policy": "no-referrer",
	};
	return answer(status, headers, cookies, html);
}

/** Of frameworks that speak web standards. */
export function visitOf(request: Request): Visit {
	return { url: request.url, method: request.method, header: (name) => request.headers.get(name) ?? undefined };
}
