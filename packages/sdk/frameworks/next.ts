import { checkParameters, type TransformOptions } from "../transform.ts";
import { checkArguments } from "../wire/check.ts";
import { CALLBACK, CREATE_LOADER, REQUIRE_USER, SIGN_IN, SIGN_OUT, USER_LEFT } from "../wire/takes.ts";
import { askedUrl, isServed } from "./framework.ts";
import { type Gate, gateOf, hasLeft, type People, type User, type Visit, visitOf } from "./people.ts";

export type { People, User } from "./people.ts";

export interface LoaderOptions extends Omit<TransformOptions, "size" | "w" | "h"> {
	/** Only addresses below this one are transformed. Default: every `http` address. */
	readonly cdnUrl?: string | undefined;
}

/** What `next/image` gives a loader. */
export interface LoaderRequest {
	readonly src: string;
	/** Pixels. */
	readonly width: number;
	/** 1 to 100. */
	readonly quality?: number | undefined;
}

/**
 * A loader for `next/image` with settings of one's own: `export default createLoader({ format: "avif" })` in the file that `images.loaderFile`
 * names, or `<Image loader={…}>` in a client component. Pictures are WebP by default, which every browser of today knows, and which may move.
 */
export function createLoader(options: LoaderOptions = {}): (request: LoaderRequest) => string {
	checkArguments("createLoader", CREATE_LOADER, [options]);
	const { cdnUrl, ...transform } = options;
	checkParameters("createLoader", transform, ["size", "w", "h"]);
	return ({ src, width, quality }) => {
		// A file of the site itself has one size; Next.js warns where an address does not tell the width.
		if (src.startsWith("data:") || src.startsWith("blob:")) return src;
		if (!isServed(src, cdnUrl)) return `${src}${src.includes("?") ? "&" : "?"}w=${width}`;
		return askedUrl(src, { format: "webp", ...transform, width, quality: transform.q ?? quality }, cdnUrl);
	};
}

/** The loader without settings. In the file that `images.loaderFile` names: `export { default } from "@svc/sdk/next"`. */
export default createLoader();

/** Sends people to the page of the service on which they sign in: `export const GET = signIn(people)` in `app/sign-in/route.js`. */
export function signIn(people: People): (request: Request) => Promise<Response> {
	checkArguments("signIn", SIGN_IN, [people]);
	const gate = gateOf("signIn", people);
	return (request) => gate.signIn(visitOf(request));
}

/** Takes them back: `export const GET = callback(people)` at the path of `redirectUri`. */
export function callback(people: People): (request: Request) => Promise<Response> {
	checkArguments("callback", CALLBACK, [people]);
	const gate = gateOf("callback", people);
	return (request) => gate.callback(visitOf(request));
}

/** Signs out in this browser and leads to `/`. For a form: `export const POST = signOut(people)`. */
export function signOut(people: People): (request: Request) => Promise<Response> {
	checkArguments("signOut", SIGN_OUT, [people]);
	const gate = gateOf("signOut", people);
	return (request) => gate.signOut(visitOf(request));
}

/**
 * Who is signed in, in a page, an action or a route: `const user = await requireUser(people)`. A page of a visitor is led to sign in, and so is who
 * sends a form of one; anything else gets 401.
 */
export async function requireUser(people: People): Promise<User> {
	checkArguments("requireUser", REQUIRE_USER, [people]);
	const gate = gateOf("requireUser", people);
	const visit = await visitNow();
	return (await gate.findUser(visit)) ?? (await refuse(gate, visit));
}

/**
 * For calls about a user: `await svc.forUser(user.id).images.list().catch(userLeft(people))`. Who has left the App since they were last asked for,
 * so that the call is refused with `user_forbidden`, is treated as a visitor is by `requireUser`; any other failure is thrown on.
 */
export function userLeft(people: People): (error: unknown) => Promise<never> {
	checkArguments("userLeft", USER_LEFT, [people]);
	const gate = gateOf("userLeft", people);
	return async (error) => {
		if (!hasLeft(error)) throw error;
		return await refuse(gate, await visitNow());
	};
}

// Parts of Next.js are loaded where they are needed: a loader for images runs in browsers, where there is none of it.

interface NextVisit extends Visit {
	readonly sent: Headers;
}

async function visitNow(): Promise<NextVisit> {
	// @ts-expect-error Next.js is the App's, not a dependency of this package.
	// biome-ignore lint: the same.
	const { headers } = await import("next/headers.js");
	const sent: Headers = await headers();
	return { url: "/", method: "POST", header: (name) => sent.get(name) ?? undefined, sent };
}

async function refuse(gate: Gate, visit: NextVisit): Promise<never> {
	// @ts-expect-error The same.
	// biome-ignore lint: the same.
	const { redirect } = await import("next/navigation.js");
	// With these the scripts of Next.js itself ask, which follow a redirect as the browser would.
	if (gate.isPage(visit) || visit.sent.has("next-action") || visit.sent.has("next-url"))
		return redirect(gate.signInPath) as never;
	throw Object.assign(new Error("Nobody is signed in."), { digest: "NEXT_HTTP_ERROR_FALLBACK;401" });
}
