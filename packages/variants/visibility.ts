import { invalid } from "@svc/core/failure";
import type { Variant } from "./variant.ts";

const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

/**
 * The accepted spellings of `public` where it exists: booleans, 1 and 0, and the four strings in any case and with outer white space.
 * @throws Failure validation_error under `public` for anything else, null and blank included
 */
function decodePublic(sent: unknown): boolean | undefined {
	if (sent === undefined) return undefined;
	const word = typeof sent === "string" ? sent.trim().toLowerCase() : String(sent);
	const acceptable = typeof sent === "string" || typeof sent === "boolean" || typeof sent === "number";
	const value = acceptable && Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
	if (value === undefined) throw invalid("public", "must be true or false");
	return value;
}

/** For the interfaces in which images have one. */
export const visibility: Variant["visibility"] = {
	exists: true,
	decode: decodePublic,
	initial: (sent, storage) => sent ?? storage.publicByDefault,
};
