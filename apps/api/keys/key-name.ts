import { nameFault } from "@svc/apps/app-names";
import * as v from "valibot";

const MAX = 100;

/** What a key is called. */
export const keyName = v.pipe(
	v.string("must be a string"),
	// Before what transforms: the document tells what is sent.
	v.metadata({ jsonSchema: { type: "string", minLength: 1, maxLength: MAX } }),
	v.transform((typed) => typed.trim().normalize("NFC")),
	v.check(
		(typed) => nameFault(typed, MAX) === undefined,
		({ input }) => nameFault(String(input), MAX) ?? "",
	),
);
