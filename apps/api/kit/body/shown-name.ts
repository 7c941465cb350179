import { text } from "@svc/variants/bounds";
import * as v from "valibot";

const NAME_MAX = 100;
const NAME_RULE = `must have 1 to ${NAME_MAX} characters, none of them control characters`;

/** The name that a person gives a thing of theirs. Lists show it, in terminals too. */
export const shownName = v.pipe(
	text(10 * NAME_MAX, NAME_RULE),
	v.trim(),
	v.check(isName, NAME_RULE),
	v.metadata({ jsonSchema: { type: "string", minLength: 1, maxLength: NAME_MAX } }),
);

function isName(name: string): boolean {
	return name !== "" && [...name].length <= NAME_MAX && !/[\p{C}\p{Zl}\p{Zp}]/u.test(name);
}
