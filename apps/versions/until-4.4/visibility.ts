import type { Variant } from "@svc/variants/variant";
import * as v from "valibot";

const WORDS: Readonly<Record<string, boolean>> = { true: true, false: false, "1": true, "0": false };

/** The accepted spellings of `public`: booleans, 1 and 0, and the four words in any case and with outer white space. */
export const publicField = v.pipe(
	v.union([v.boolean(), v.number(), v.string()], "must be true or false"),
	v.rawTransform(({ dataset: { value: sent }, addIssue, NEVER }): boolean => {
		const word = String(sent).trim().toLowerCase();
		const value = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
		if (value !== undefined) return value;
		addIssue({ message: "must be true or false" });
		return NEVER;
	}),
	v.metadata({ jsonSchema: { anyOf: [{ type: "boolean" }, { enum: [0, 1, "true", "false", "0", "1"] }] } }),
);

/** The visibility of interfaces whose images have one. */
export const visibility: Variant["visibility"] = {
	initial: (sent, storage) => sent ?? storage.publicByDefault,
};
