import { createHmac } from "node:crypto";
import { sameBytes } from "@svc/base/crypto/macs";

/** How far ahead an address may be signed, in seconds: a year and a day. */
export const SIGNED_MAX_SECONDS = 366 * 86_400;

/** An address as it was asked for, and until when its signature is good. */
export interface SignedQuery {
	/** Seconds since 1970. */
	readonly exp: number;
	/** All parameters but the signature and its end, as they are read. */
	readonly parameters: URLSearchParams;
}

const EXP = /^[1-9]\d{0,10}$/;
const SIGNATURE = /^[\w-]{43}$/;

/** Whether a query says that it is signed, rightly or not. */
export function claimsToBeSigned(query: URLSearchParams): boolean {
	return query.has("sig") || query.has("exp");
}

/**
 * Reads a signed query; undefined where it is not signed by any of these secrets, or not any more. Nothing may be sent twice: readers
 * differ in which of the two counts.
 * @param path from the slash before the team hash, as it is in `url`
 */
export function readSigned(
	path: string,
	query: URLSearchParams,
	secrets: readonly string[],
	nowMs: number,
): SignedQuery | undefined {
	const exp = query.get("exp") ?? "";
	const signature = query.get("sig") ?? "";
	if (!EXP.test(exp) || !SIGNATURE.test(signature) || isRepeated(query)) return undefined;
	const seconds = Number(exp);
	if (seconds * 1_000 <= nowMs || seconds * 1_000 > nowMs + SIGNED_MAX_SECONDS * 1_000) return undefined;
	const parameters = without(query);
	const sent = Buffer.from(signature);
	const signed = signedText(path, parameters, exp);
	// All of them are compared: how long it takes says nothing about which secret it was.
	const good = secrets.filter((secret) => sameBytes(sent, Buffer.from(mac(secret, signed))));
	return good.length > 0 ? { exp: seconds, parameters } : undefined;
}

/** The query that signs an address until `exp`, in seconds since 1970. */
export function signedQuery(secret: string, path: string, parameters: URLSearchParams, exp: number): string {
	const signed = [...parameters, ["exp", String(exp)], ["sig", mac(secret, signedText(path, parameters, String(exp)))]];
	return signed.map(([name = "", value = ""]) => `${encoded(name)}=${encoded(value)}`).join("&");
}

/** What is signed: the path, all parameters in the order of their names, and the end, a line each. */
function signedText(path: string, parameters: URLSearchParams, exp: string): string {
	// Names are encoded as well, so that a name with an ampersand in it is not two parameters.
	const pairs = [...parameters].map(([name, value]) => [encoded(name), encoded(value)] as const);
	const sorted = pairs.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `${name}=${value}`);
	return [path, sorted.join("&"), exp].join("\n");
}

function mac(secret: string, signed: string): string {
	return createHmac("sha256", secret).update(signed).digest("base64url");
}

function without(query: URLSearchParams): URLSearchParams {
	return new URLSearchParams([...query].filter(([name]) => name !== "sig" && name !== "exp"));
}

function isRepeated(query: URLSearchParams): boolean {
	return new Set(query.keys()).size !== [...query.keys()].length;
}

/** RFC 3986: all but letters, digits and `-._~`. */
function encoded(text: string): string {
	return encodeURIComponent(text.toWellFormed()).replace(
		/[!'()*]/g,
		(sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
	);
}
