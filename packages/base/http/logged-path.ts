/* Paths as they may be logged. */

/** Below these stands a secret: the token of an upload ticket, or that of a letter's link. */
export const SECRET_BELOW: readonly string[] = [
	"/v1/uploads",
	"/connect/link",
	"/account/link",
	"/account/not-me",
	"/account/undo",
];

const MASKED = new RegExp(`^/+(${SECRET_BELOW.map((path) => path.slice(1).replaceAll("/", "/+")).join("|")})/`, "i");

/**
 * A path without the secret that may stand in it, also where no route is meant. Routers read a path decoded, so that the start of it may be
 * written in many ways: whatever could be read as one of these is cut behind it.
 */
export function loggedPath(pathname: string): string {
	const start = MASKED.exec(decoded(pathname));
	return start ? `/${start[1]?.toLowerCase().replace(/\/+/g, "/")}/…` : pathname;
}

/** Escapes inside of escapes. Routers take one away; more would cost a hostile path its length squared. */
const LAYERS = 4;

/** Each escape of a path as its character, also where others in it are none. */
function decoded(pathname: string): string {
	let path = pathname;
	for (let layer = 0; layer < LAYERS && path.includes("%"); layer++) {
		path = path.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
	}
	return path;
}
