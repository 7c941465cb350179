import { Failure } from "@svc/base/failure";
import { nearestPath } from "./near-paths.ts";

/*
 * What a refusal can say of the request that it refuses. Only the request is looked at, and which paths there are: neither the words nor the
 * time that they take tell anything of what is stored, or for whom.
 */

const HOW = "Send Authorization: Bearer <API_KEY>.";
/** Where other services take a key. */
const KEY_HEADERS = ["x-api-key", "api-key", "apikey", "x-auth-token", "x-access-token"] as const;
/** How every secret of a service begins. */
const SECRET = /^svc_(?:sk_)?(?:live|test|ses|pat)_/;
const PLAIN = new Failure("unauthorized").message;

interface Refused {
	readonly request: Request;
	readonly url: URL;
	readonly mode: "test" | "live";
}

/** The same refusal, in words that say what is wrong with this request where that can be seen. What was said on purpose stands. */
export function inOwnWords(failure: Failure, refused: Refused): Failure {
	const { code, message, details } = failure;
	if (code !== "unauthorized" || message !== PLAIN) return failure;
	return new Failure(code, details, { cause: failure, message: whyUnknown(refused) });
}

function whyUnknown({ request: { headers }, url, mode }: Refused): string {
	const sent = headers.get("authorization")?.trim() ?? "";
	if (sent === "") return whyNone(headers, url);
	if (SECRET.test(sent)) return `The word Bearer is missing before the key. ${HOW}`;
	const [, secret] = /^Bearer +(\S+)$/i.exec(sent) ?? [];
	if (secret === undefined) {
		return /^Bearer\b/i.test(sent)
			? `Nothing that could be a key stands behind Bearer. ${HOW}`
			: `Another scheme than Bearer was sent. ${HOW}`;
	}
	if (!SECRET.test(secret))
		return `What stands behind Bearer is no key of this service: its keys begin with svc_. ${HOW}`;
	const other = mode === "live" ? "test" : "live";
	if (secret.startsWith(`svc_sk_${other}_`)) {
		return `This is a key of a service in ${other} mode (svc_sk_${other}_…), and this one is in ${mode} mode.`;
	}
	return "This key is unknown here, has expired or was revoked, or was not copied whole.";
}

function whyNone(headers: Headers, url: URL): string {
	const name = KEY_HEADERS.find((one) => headers.has(one));
	if (name) return `The header ${name} is not read. ${HOW}`;
	if ([...url.searchParams.values()].some((value) => SECRET.test(value))) {
		return `A key in the URL is not read, and stands in logs by now: revoke it, and take another. ${HOW}`;
	}
	return `No key was sent. ${HOW}`;
}

/** A path that there is not. @param paths those that there are, as they are registered */
export function noSuchPath(pathname: string, paths: readonly string[]): Failure {
	const near = nearestPath(pathname, paths);
	return near === undefined
		? new Failure("not_found")
		: Failure.saying("not_found", `There is no such path. Did you mean ${near}?`);
}
