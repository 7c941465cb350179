import { createHash } from "node:crypto";

const MAX_LENGTH = 200;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * Keys are made by us, so a bad one is a bug and not the caller's fault. They are checked all the same: a key becomes part of
 * a path, and `../` in one would reach outside the store. Segments are divided by `/` and never begin with a dot.
 * @throws TypeError for anything but 1 to 200 letters, digits, `_`, `-`, `.` and `/`.
 */
export function checkKey(key: string): void {
	if (key.length > MAX_LENGTH || !key.split("/").every((segment) => SEGMENT.test(segment))) {
		throw new TypeError(`not a blob key: ${JSON.stringify(key.slice(0, MAX_LENGTH))}`);
	}
}

/** What `put` throws for a key that has been written before. */
export function taken(key: string): Error {
	return new Error(`the blob key ${key} is taken: keys are written once`);
}

/**
 * Where a blob lies as a file. The fan-out comes from a hash, for keys share their first letters. `+` is in no key, so two keys never
 * share a file, and it is as long as the slash, so no key outgrows a file name.
 * @throws TypeError like {@link checkKey}
 */
export function blobPath(key: string): string {
	checkKey(key);
	const fanOut = createHash("sha256").update(key).digest("hex").slice(0, 2);
	return `${fanOut}/${key.replaceAll("/", "+")}`;
}
