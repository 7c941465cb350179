import { isIP } from "node:net";
import { Failure, invalid } from "@svc/base/failure";
import ipaddr from "ipaddr.js";

const MAX_LENGTH = 2_048;

// Backslashes and invisible characters are where two parsers of one address come to disagree about its host.
const SUSPICIOUS = /[\s\\\p{Cc}\p{Cf}\p{Cs}]/u;
const AUTHORITY = /^https?:\/\/([^/?#]+)/i;

// Names that mean something only inside a machine or a network (RFC 2606, 6761, 6762, 7686, 8375, 9476), and customary ones.
const SPECIAL_USE = new Set([
	"alt",
	"arpa",
	"corp",
	"example",
	"home",
	"internal",
	"intranet",
	"invalid",
	"lan",
	"local",
	"localdomain",
	"localhost",
	"onion",
	"private",
	"test",
]);
/** Of these the names that are in no network (RFC 2606). */
const NOWHERE = new Set(["example", "invalid", "test"]);
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

/** An address that passed every rule which needs no look-up; what its name resolves to is still to be judged. */
export interface Destination {
	readonly url: URL;
	/** A name or a bare address: IPv6 without its brackets. */
	readonly host: string;
	readonly port: number;
	/** Named by the operator: may be private and use any port. */
	readonly exempt: boolean;
}

/**
 * @param allow pairs as `allowedPairs` makes them
 * @throws Failure `validation_error` under `url`
 */
export function checkDestination(text: string, allow: ReadonlySet<string>): Destination {
	checkText(text);
	const url = URL.parse(text);
	if (url === null) throw refused("is not a valid address");
	const host = bare(url.hostname);
	const port = portOf(url);
	const exempt = allow.has(`${url.hostname}:${port}`);
	if (!exempt) checkPublic(host, port);
	return { url, host, port, exempt };
}

/**
 * Exact pairs that may be private, such as `127.0.0.1:9000` or `minio.internal:80`, in one spelling.
 * @throws TypeError naming the first entry that is none
 */
export function allowedPairs(entries: readonly string[]): ReadonlySet<string> {
	return new Set(entries.map(pairOf));
}

function pairOf(entry: string): string {
	const url = /^[^/?#@\\]+:\d+$/.test(entry) ? URL.parse(`http://${entry}`) : null;
	if (url === null) throw new TypeError(`not a host:port pair: ${JSON.stringify(entry)}`);
	return `${url.hostname}:${portOf(url)}`;
}

function checkText(text: string): void {
	if (text.length > MAX_LENGTH) throw refused("is longer than 2,048 characters");
	if (SUSPICIOUS.test(text)) throw refused("contains whitespace, a backslash or a control character");
	// The URL parser also accepts `http:host` and `http:///host`; other parsers read those differently.
	const authority = AUTHORITY.exec(text)?.[1];
	if (authority === undefined) throw refused("is not an http or https address");
	if (authority.includes("@")) throw refused("must not contain a user name or password");
}

/** Whether it may be reached comes before the port: another port would not help a private address. */
function checkPublic(host: string, port: number): void {
	if (isIP(host) === 0 ? !isPublicName(host) : !isPublicAddress(host)) throw notPublic(host);
	if (port !== 80 && port !== 443) throw refused("must use port 80 or 443");
}

const UNREACHED =
	"Private addresses are never reached. Whoever runs the service may allow one, as host:port in SVC_IMPORT_ALLOW; events come to a program on your machine by `svc listen`.";

/** An address that is private, or leads to one. @param host as it was sent: nothing is said of where it leads */
export function notPublic(host: string): Failure {
	const why = { url: ["is not a public address"] };
	const message = NOWHERE.has(host.split(".").at(-1) ?? "")
		? "There is no such host: its name is one that is kept free, for examples and tests."
		: UNREACHED;
	return new Failure("validation_error", why, { message });
}

function isPublicName(host: string): boolean {
	const labels = host.split(".");
	const last = labels.at(-1) ?? "";
	return (
		host.length <= 253 &&
		labels.length > 1 &&
		labels.every((label) => LABEL.test(label)) &&
		// What ends in a number is an address to some resolvers.
		!/^\d+$/.test(last) &&
		!SPECIAL_USE.has(last)
	);
}

function bare(hostname: string): string {
	return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
}

function portOf(url: URL): number {
	return url.port === "" ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
}

// Only 2000::/3 is assigned for global use. Everything outside it is refused without being listed: IPv4-compatible, NAT64,
// unique and site-local, segment routing, and whatever is invented there next.
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

// A unicast address that every machine in one large cloud can reach, and behind which that cloud keeps credentials.
const METADATA_IPV4 = "168.63.129.16";

/** One spelling for each address, IPv4 inside IPv6 as IPv4; undefined for a text that is no address, or has a zone. */
export function canonicalAddress(text: string): string | undefined {
	return isIP(text) === 0 || text.includes("%") ? undefined : ipaddr.process(text).toString();
}

/** Whether the address is reachable from the whole internet, tunnels and translations into private networks excluded. */
export function isPublicAddress(text: string): boolean {
	const canonical = canonicalAddress(text);
	if (canonical === undefined) return false;
	const address = ipaddr.parse(canonical);
	if (address.range() !== "unicast") return false;
	return address instanceof ipaddr.IPv6 ? address.match(GLOBAL_IPV6) : canonical !== METADATA_IPV4;
}

/**
 * An address, or what it leads to, that is not allowed. `why` is shown: it never names an address that the caller did not send,
 * or an import would be a way to look up names inside our network.
 */
export function refused(why: string): Failure {
	return invalid("url", why);
}

/** The other side is missing or broken. `why` is shown; `cause` is only logged. */
export function unfetchable(why: string, cause?: unknown): Failure {
	return new Failure("fetch_failed", { url: [why] }, { cause });
}

export function overdue(): Failure {
	return new Failure("fetch_failed", { url: ["did not arrive in time"] }, { timedOut: true });
}

export function tooLarge(maxBytes: number): Failure {
	return invalid("file", `is larger than ${maxBytes.toLocaleString("en-US")} bytes`);
}
