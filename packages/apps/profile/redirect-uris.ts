import { Failure, invalid } from "@svc/base/failure";
import { isId, newId } from "@svc/base/ids";
import { authorityOf, refuseDemoted, type TeamMember } from "../authority.ts";
import type { Apps } from "../room.ts";

/** Where hosted sign-in may send a browser back to. */
export interface RedirectUri {
	readonly pk: number;
	readonly id: string;
	/** Compared byte for byte. */
	readonly uri: string;
	readonly createdMs: number;
}

const URI_MAX_BYTES = 2_048;
const PER_APP_MAX = 20;

// The characters that RFC 3986 allows: a browser would rewrite any other, and the compared address would not be where it goes.
const CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})*$/;
const AUTHORITY = /^[a-z]+:\/\/([^/?#]+)/i;
const HOST_AND_PORT = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;
/** Hosts at which a page may do without TLS: nobody else is on the way. */
export const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The fault of a redirect URI; undefined when there is none. */
export function redirectUriFault(uri: string): string | undefined {
	// From here on all of it is ASCII, so that characters are bytes.
	if (!CHARACTERS.test(uri)) return "must be an address in ASCII, with everything else percent-encoded";
	if (uri.length > URI_MAX_BYTES) return `must be at most ${URI_MAX_BYTES.toLocaleString("en")} bytes`;
	if (uri.includes("#")) return "must not have a fragment";
	const authority = AUTHORITY.exec(uri)?.[1];
	const url = URL.parse(uri);
	if (authority === undefined || url === null) return "must be an absolute address, as https://example.com/callback";
	if (authority.includes("@")) return "must not hold a user name or password";
	// A browser reads 0x7f.1 and 2130706433 as 127.0.0.1: a host must be written as browsers read it.
	const host = HOST_AND_PORT.exec(authority)?.[1]?.toLowerCase();
	if (host === undefined || host !== url.hostname) return "must name its host in the usual form";
	if (url.protocol === "https:" || (url.protocol === "http:" && LOOPBACK.test(host))) return undefined;
	return "must begin with https://; http:// is for localhost, 127.0.0.1 and [::1] only";
}

/** @throws Failure validation_error under `uri` */
export async function addRedirectUri(
	room: Apps,
	teamMember: TeamMember,
	uri: string,
): Promise<Omit<RedirectUri, "pk">> {
	const fault = redirectUriFault(uri);
	if (fault !== undefined) throw invalid("uri", fault);
	const id = newId("red");
	const refused = await room.redirectUris.create(authorityOf(teamMember, "admin"), { id, uri }, PER_APP_MAX);
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "taken") throw invalid("uri", "is there already");
	if (refused === "full") throw invalid("uri", `cannot be added: this App has ${PER_APP_MAX} already`);
	return { id, uri, createdMs: teamMember.by.nowMs };
}

/** @throws Failure not_found */
export async function removeRedirectUri(room: Apps, teamMember: TeamMember, id: string): Promise<void> {
	const found = isId("red", id) ? await room.redirectUris.find(teamMember.app.pk, id) : undefined;
	const refused = found ? await room.redirectUris.delete(authorityOf(teamMember, "admin"), found) : "gone";
	if (refused === "demoted") await refuseDemoted(room, teamMember);
	if (refused === "gone") throw new Failure("not_found");
}
