import { domainToASCII } from "node:url";
import { invalid } from "@svc/base/failure";

const FIELD = "image_host";
const MAX = 253;
/** Labels as they stand in the DNS; the last one is no number, or all of it would be an address. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$|0x[\da-f]*$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Under which countries let people register names. */
const SUFFIX = /^(?:ac|asso|co|com|edu|gob|gouv|gov|go|gv|ltd|mil|ne|net|or|org|plc|sch)\.[a-z]{2}$/;
/** Names that are never asked for at servers of the world. */
const LOCAL = /(?:^|\.)(?:localhost|local|internal|invalid|onion|arpa|home\.arpa)$/;

/**
 * A host as the DNS writes it: small letters, without a dot at its end, letters of other scripts as `xn--…`.
 * @param own the service's own hosts
 * @throws Failure validation_error under `image_host`
 */
export function checkImageHost(sent: string, own: readonly string[]): string {
	const typed = sent.trim().replace(/\.$/, "");
	if (typed.includes("://") || /[/?#@]/.test(typed))
		throw invalid(FIELD, "must be a host alone, such as img.example.com");
	if (/:\d*$/.test(typed))
		throw invalid(FIELD, "must be without a port: that is the one of the service's own image host");
	if (typed.includes("*")) throw invalid(FIELD, "must be one host, not a pattern");
	const host = typed.length > MAX ? "" : domainToASCII(typed);
	if (host === "" || host.length > MAX || !HOST.test(host) || LOCAL.test(host)) {
		throw invalid(
			FIELD,
			"must be the full name of a host in the DNS, such as img.example.com; no address of a machine",
		);
	}
	if (SUFFIX.test(host))
		throw invalid(FIELD, "is a name under which others register theirs; use one of your own below it");
	if (own.some((name) => host === name || host.endsWith(`.${name}`))) {
		throw invalid(FIELD, "is a name of this service");
	}
	return host;
}

/** Where the record stands. */
export function recordNameOf(host: string): string {
	return `_svc.${host}`;
}
