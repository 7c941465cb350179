import { checkArguments } from "./wire/check.ts";
import { SIGN_URL } from "./wire/takes.ts";

/** Values by the name of a parameter: of the transform host, or `preset`. */
export type SignedParameters = Readonly<Record<string, string | number | boolean | undefined>>;

export interface SignOptions {
	/** Of a signing key of the App: `svc_sig_…`. It stays on your own servers. */
	readonly secret: string;
	/**
	 * For how long it works at least, and at most twice as long: seconds, or `1h`, `7d`, `5m`; at most 183 days. It gives the same address for so
	 * long, so that browsers and caches find the picture again. Either this or `expiresAt`.
	 */
	readonly expiresIn?: number | string | undefined;
	/** When it ends, to the second: a Date, ISO 8601, or a unix timestamp in seconds; at most 366 days ahead. */
	readonly expiresAt?: Date | string | number | undefined;
	/** Asked for besides what the address asks for already, and instead of it where the names are the same. */
	readonly parameters?: SignedParameters | undefined;
}

const DAY_SECONDS = 86_400;
const MOST_DAYS = 366;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: DAY_SECONDS };

/**
 * An address that the service answers under the delivery policies `presets` and `signed`, until it expires; nothing in it can be changed.
 * Works wherever there is web-standard crypto: Bun, Node, Deno, workers, and browsers over https.
 * @throws TypeError for an option that is missing, unknown or of a wrong kind, and for none or both ends; RangeError for what the service would refuse: no image's address, a parameter that stands there twice, too late an end
 */
export async function signUrl(image: string | { readonly url: string }, options: SignOptions): Promise<string> {
	checkArguments("signUrl", SIGN_URL, [image, options]);
	const { secret, parameters = {} } = options;
	if (!/^svc_sig_\w/.test(secret))
		throw new TypeError("signUrl: secret must be that of a signing key, svc_sig_…; its value is not shown.");
	const url = new URL(typeof image === "string" ? image : image.url);
	const pairs = pairsOf(url, parameters);
	const exp = String(endOf(options));
	const signature = await hmac(secret, [pathOf(url), pairs.join("&"), exp].join("\n"));
	return `${url.origin}${url.pathname}?${[...pairs, `exp=${exp}`, `sig=${signature}`].join("&")}`;
}

/** What is signed begins at the slash before the team hash, whatever the service stands behind. */
function pathOf({ pathname }: URL): string {
	const path = /\/[\w-]+\/[\w-]+\.[a-z]+$/.exec(pathname)?.[0];
	if (path === undefined) throw new RangeError(`${pathname} is not the address of an image.`);
	return path;
}

/** `name=value`, encoded, in the order of the names. */
function pairsOf({ searchParams }: URL, parameters: SignedParameters): string[] {
	const asked = Object.entries(parameters).flatMap(([name, value]) =>
		value === undefined ? [] : [[name, String(value)] as const],
	);
	const names = new Set(["exp", "sig", ...asked.map(([name]) => name)]);
	const all = [...[...searchParams].filter(([name]) => !names.has(name)), ...asked];
	const sorted = all
		.map(([name, value]) => [encoded(name), encoded(value)] as const)
		.sort(([a], [b]) => (a < b ? -1 : 1));
	const repeated = sorted.find(([name], place) => name === sorted[place + 1]?.[0]);
	if (repeated) throw new RangeError(`${repeated[0]} stands in the address twice.`);
	return sorted.map(([name, value]) => `${name}=${value}`);
}

function endOf({ expiresAt, expiresIn }: SignOptions): number {
	if (expiresIn === undefined && expiresAt !== undefined) return secondsOf(expiresAt);
	if (expiresIn === undefined || expiresAt !== undefined)
		throw new TypeError("signUrl: give expiresIn or expiresAt, one of the two.");
	const [, count = "", unit = "s"] = /^(\d{1,9})([smhd]?)$/.exec(String(expiresIn)) ?? [];
	const seconds = Number(count) * (UNITS[unit || "s"] ?? 1);
	if (seconds < 1 || seconds > (MOST_DAYS / 2) * DAY_SECONDS)
		throw new RangeError(`expiresIn must be whole seconds or a duration as 1h, at most ${MOST_DAYS / 2} days.`);
	// The end stands still for so long: an address with an end of its own for each page would be in no cache.
	return (Math.floor(Date.now() / 1_000 / seconds) + 2) * seconds;
}

function secondsOf(expiresAt: Date | string | number): number {
	const seconds = typeof expiresAt === "number" ? expiresAt : Math.floor(new Date(expiresAt).getTime() / 1_000);
	if (!Number.isInteger(seconds) || seconds <= 0)
		throw new RangeError("expiresAt must be a date, or whole seconds since 1970.");
	if (seconds > Date.now() / 1_000 + MOST_DAYS * DAY_SECONDS) {
		throw new RangeError(`expiresAt must be at most ${MOST_DAYS} days ahead.`);
	}
	return seconds;
}

/** Base64url, without padding. */
async function hmac(secret: string, text: string): Promise<string> {
	const encoder = new TextEncoder();
	const algorithm = { name: "HMAC", hash: "SHA-256" };
	const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
	const bytes = new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(text)));
	return btoa(String.fromCharCode(...bytes))
		.replace(/\+/g, "-")
		.replace(/\//g, "_")
		.replace(/=+$/, "");
}

/** RFC 3986: all but letters, digits and `-._~`. */
function encoded(text: string): string {
	return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
