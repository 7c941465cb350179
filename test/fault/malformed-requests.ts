import { bodyOf, chunked } from "./damage.ts";
import { type Material, malformedBody } from "./malformed-bodies.ts";
import type { Dice } from "./seed.ts";

/* Requests that no client of ours would send, against every address of the service. */

export interface Target extends Material {
	readonly base: string;
	readonly cdn: string;
	readonly web: string;
	/** Good, revoked, read-only, storage-bound: whatever there is. */
	readonly keys: readonly string[];
	readonly userIds: readonly string[];
	/** Addresses of images that no request names otherwise, without a query. */
	readonly urls: readonly string[];
}

type Site = "api" | "cdn" | "web" | "none";

export interface Malformed {
	readonly site: Site;
	readonly request: Request;
	/** Whether the client reads the answer to its end. */
	readonly reads: boolean;
}

const METHODS = [
	"GET",
	"GET",
	"GET",
	"HEAD",
	"OPTIONS",
	"POST",
	"PUT",
	"PATCH",
	"DELETE",
	"PROPFIND",
	"QUERY",
	"get",
	"Ü",
];

const PATHS = [
	"/v1/images",
	"/v1/images",
	"/v1/images",
	"/v1/images/batch",
	"/v1/usage",
	"/v1/key",
	"/v1/operator/bootstrap",
	"/v1/auth/exchange",
	"/openapi.json",
	"/docs",
	"/docs/operate/caches",
	"/docs?q=x",
	"/docs/api",
	"/docs/docs.css",
	"/docs/operate/caches.md",
	"/healthz",
	"/",
	"/v1",
	"/connect",
] as const;

/** Put between, behind or in place of the pieces of a path. */
const SEGMENTS = [
	"..",
	".",
	"",
	"%2e%2e",
	"%2E%2e%2f",
	"%2f",
	"%5c",
	"\\..\\",
	"%00",
	"%ff",
	"%E0%A4%A",
	"%",
	"%zz",
	"%c0%ae%c0%ae",
	"%ed%a0%80",
	"%u0041",
	"😀",
	"*",
	":id",
	"a".repeat(5_000),
	"__proto__",
	"constructor",
	";x=1",
	"@",
	"|",
	"%0d%0aX: y",
] as const;

function path(dice: Dice, target: Target): string {
	const known = dice.chance(0.35) ? `/v1/images/${dice.pick(target.imageIds)}` : dice.pick(PATHS);
	if (dice.chance(0.6)) return known;
	const pieces = known.split("/");
	pieces.splice(1 + dice.below(pieces.length), dice.below(2), dice.pick(SEGMENTS));
	return pieces.join("/");
}

const PARAMETERS = [
	"limit",
	"cursor",
	"ids",
	"label",
	"label[k]",
	"label[!k]",
	"label[",
	"label]",
	"label[k][x]",
	"label[]",
];
const MORE_PARAMETERS = ["label[__proto__]", "__proto__", "constructor", "label%5Bk%5D", "%ff", "é", "a", ""];
const PARAMETER_VALUES = [
	"",
	"0",
	"1",
	"100",
	"101",
	"-1",
	"1e2",
	"%00",
	"%ff",
	"a,b",
	",",
	"%E0%A4%A",
	"x".repeat(400),
	"😀",
	"&&",
	"=",
	"%20a",
	"+",
];

function query(dice: Dice, target: Target): string {
	if (dice.chance(0.4)) return "";
	const most = dice.pick([1, 2, 4, 25]);
	const pairs = Array.from({ length: 1 + dice.below(most) }, () => {
		const name = dice.pick([...PARAMETERS, ...MORE_PARAMETERS]);
		const value = dice.chance(0.2) ? dice.pick(target.imageIds) : dice.pick(PARAMETER_VALUES);
		return dice.chance(0.1) ? name : `${name}=${value}`;
	});
	const text = `?${pairs.join(dice.pick(["&", "&", "&", ";", "&&"]))}`;
	return dice.chance(0.01) ? text.padEnd(20_000, text) : text;
}

const TRANSFORMS = [
	["size", ["s", "m", "l", "social", "xl", ""]],
	["format", ["jpg", "png", "webp", "gif", "svg", "exe", "JPG"]],
	["w", ["1", "16", "33", "0", "-1", "4097", "1e3", "0x10", "١", "NaN", "9".repeat(300)]],
	["h", ["1", "16", "33", "0", "4097", "1.5", " 8"]],
	["fit", ["scale-down", "contain", "cover", "crop", "pad", "squeeze", "fill"]],
	["gravity", ["auto", "face", "left", "x"]],
	["zoom", ["0", "1", "0.5", "2", "-0"]],
	["q", ["1", "100", "0", "101", "high", "low"]],
	["brightness", ["0", "10", "11", "1e-9", ".5", "Infinity"]],
	["gamma", ["0", "0.001", "10"]],
	["saturation", ["0", "10"]],
	["blur", ["0", "250", "251", "3"]],
	["sharp", ["0", "10", "0.001"]],
	["rotate", ["90", "180", "270", "45"]],
	["flip", ["h", "v", "hv", "vh"]],
	["trim", ["border", "x"]],
	["metadata", ["none", "keep", "copyright", "all"]],
	[
		"background",
		[
			"red",
			"%23fff",
			"%23ffff",
			"rgb(1,2,3)",
			"rgba(1,2,3,.5)",
			"rgb(1e99,0,0)",
			"#fff",
			"%23",
			`rgb(${"9".repeat(60)},0,0)`,
		],
	],
	["tile", ["img_x", "__proto__", "%00"]],
	["__proto__", ["1"]],
	["constructor", ["x"]],
] as const;

function transform(dice: Dice): string {
	const pairs = Array.from({ length: dice.below(5) }, () => {
		const [name, values] = dice.pick(TRANSFORMS);
		return `${name}=${dice.pick<string>(values)}`;
	});
	return `?${pairs.join("&")}${dice.chance(0.02) ? `&${"x".repeat(20_000)}` : ""}`;
}

function cdnAddress(dice: Dice, target: Target): string {
	const address = dice.pick(target.urls);
	if (dice.chance(0.15)) return address + transform(dice);
	if (dice.chance(0.3)) return address;
	const broken = dice.pick([
		() => address.replace(/\w(?=\.\w+$)/, dice.pick(["", "x", "%41", "/"])),
		() =>
			address.replace(
				/\.\w+$/,
				dice.pick([".exe", "", ".", ".PNG", ".png.png", ".png%00", ".jpg/", ".avif;x", ".svg"]),
			),
		() => address.replace(/\/[^/]+$/, `/${dice.pick(SEGMENTS)}`),
		() => target.cdn + path(dice, target),
	])();
	return broken + (dice.chance(0.5) ? transform(dice) : "");
}

type HeaderOf = (dice: Dice, target: Target) => string;

const NUMBERS = ["0", "1", "-1", "abc", "99999999999999999999", "1, 2", "0x10", "1e3", ""];
const RANGES = [
	"bytes=0-0",
	"bytes=-1",
	"bytes=9999-",
	"bytes=1-0",
	"bytes=0-0,2-3",
	"bytes=",
	"items=0-1",
	"bytes=-0",
];
const TAGS = ["*", '"x"', 'W/"x"', '"', '"a","b', '""', `${'"a",'.repeat(2_000)}"b"`, "x".repeat(9_000), ","];

const HEADERS: readonly (readonly [string, HeaderOf])[] = [
	[
		"X-Svc-User",
		(dice, { userIds }) => dice.pick([...userIds, "", " ", "usr_", "x".repeat(9_000), "usr_\xe9", "null", "a, b"]),
	],
	["Idempotency-Key", (dice) => dice.pick(["a", "b", "c", `k${dice.below(40)}`, "", "x".repeat(256), "\xff", "a\tb"])],
	["Content-Length", (dice) => dice.pick(NUMBERS)],
	["Range", (dice) => dice.pick([...RANGES, `bytes=${"0-1,".repeat(2_000)}5-6`])],
	["If-Range", (dice) => dice.pick(TAGS)],
	["If-None-Match", (dice) => dice.pick(TAGS)],
	["Accept", (dice) => dice.pick(["text/html", "*/*", "application/json;q=9e9", "x".repeat(9_000)])],
	["Transfer-Encoding", (dice) => dice.pick(["chunked", "gzip, chunked", "identity"])],
	["Content-Encoding", (dice) => dice.pick(["gzip", "br", "x"])],
	["Expect", () => "100-continue"],
	["X-HTTP-Method-Override", () => "DELETE"],
	["X-Forwarded-Host", () => "evil.example"],
	["Origin", () => "null"],
	["Cookie", () => "__proto__=1; ".repeat(300)],
];

function authorization(dice: Dice, { keys }: Target): string | undefined {
	const key = dice.pick(keys);
	if (dice.chance(0.75)) return `Bearer ${keys[0]}`;
	return dice.pick([
		undefined,
		`Bearer ${key}`,
		`Bearer ${key}`,
		`bearer   ${key}  `,
		`Bearer ${key.slice(0, -1)}`,
		`Bearer ${key}x`,
		`Bearer ${key} ${key}`,
		`Basic ${key}`,
		"Bearer",
		"Bearer \xff",
		`Bearer svc_sk_${"x".repeat(9_000)}`,
		`Bearer${" ".repeat(9_000)}x y`,
	]);
}

function headersOf(dice: Dice, target: Target): Headers {
	const headers = new Headers();
	const secret = authorization(dice, target);
	if (secret !== undefined) headers.set("Authorization", secret);
	if (dice.chance(0.15)) headers.set("Idempotency-Key", `again ${dice.below(60)}`);
	for (let more = dice.pick([0, 0, 1, 1, 2, 4]); more > 0; more--) {
		const [name, value] = dice.pick(HEADERS);
		headers.append(name, value(dice, target));
	}
	return headers;
}

function address(dice: Dice, site: Site, target: Target): string {
	if (site === "cdn") return cdnAddress(dice, target);
	const origin = site === "web" ? target.web : target.base;
	return origin + path(dice, target) + query(dice, target);
}

const SITES: readonly Site[] = ["api", "api", "api", "api", "api", "api", "api", "cdn", "cdn", "web"];

/** Undefined where the platform itself refuses to make such a request. */
export function malformedRequest(dice: Dice, target: Target): Malformed | undefined {
	const site = dice.chance(0.01) ? "none" : dice.pick(SITES);
	const method = dice.chance(0.4) && site === "api" ? "POST" : dice.pick(METHODS);
	const url = method === "POST" && dice.chance(0.8) ? `${target.base}/v1/images` : address(dice, site, target);
	const headers = headersOf(dice, target);
	const place = url.startsWith(target.base) && site !== "none" ? "api" : site;
	headers.set("Host", place === "none" ? dice.pick(["", "evil.example", "localhost:1"]) : (URL.parse(url)?.host ?? ""));
	const reads = dice.chance(0.9);
	try {
		return {
			site: place,
			request: new Request(url, { method, headers, ...bodyFor(method, headers, dice, target) }),
			reads,
		};
	} catch {
		return undefined;
	}
}

function bodyFor(method: string, headers: Headers, dice: Dice, target: Target): Pick<RequestInit, "body"> {
	if (["GET", "HEAD", "get"].includes(method) || dice.chance(0.05)) return {};
	const { bytes, contentType } = malformedBody(dice, target);
	headers.set("Content-Type", contentType);
	const most = dice.pick([bytes.length + 1, bytes.length + 1, 1_000, 16]);
	return { body: bodyOf(chunked(bytes, dice, Math.max(most, bytes.length / 200)), dice.chance(0.05)) };
}
