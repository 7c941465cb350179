import * as v from "valibot";

/*
 * What a body may hold, bounded before it is looked at. The library judges every item of a list, and trims, composes and matches a whole text, before
 * it asks how long they are: a list of wrong items is then an answer of megabytes, and a text of nothing but marks keeps a processor for minutes.
 */

/** The same schema, which does not look at what is too large. It then says `rule`, and nothing else. */
function bounded<Schema extends v.GenericSchema>(schema: Schema, isTooLarge: (sent: unknown) => boolean, rule: string) {
	const refusal = v.custom<never>(() => false, rule);
	const run: Schema["~run"] = (dataset, config) =>
		(isTooLarge(dataset.value) ? refusal : schema)["~run"](dataset, config);
	return { ...schema, "~run": run };
}

/**
 * A text in a body.
 * @param max UTF-16 units as they are sent; what is trimmed or composed before it is measured has a bound of its own behind this one
 * @param tooLong what is said of a longer one
 */
export function text(max: number, tooLong = `must have at most ${max} characters`, rule = "must be a string") {
	return v.pipe(
		bounded(v.string(rule), (sent) => typeof sent === "string" && sent.length > max, tooLong),
		v.metadata({ jsonSchema: { type: "string", maxLength: max } }),
	);
}

/** The rules of a list: one sentence for all of them, or one for each. */
interface ListBounds {
	readonly min?: number;
	readonly max: number;
	readonly tooFew?: string;
	readonly tooMany?: string;
}

/** A list in a body; of one that is too long no item is looked at. */
export function listOf<Item extends v.GenericSchema<unknown, unknown>>(
	item: Item,
	rule: string,
	{ min = 0, max, tooFew = rule, tooMany = rule }: ListBounds,
) {
	return v.pipe(
		bounded(v.array(item, rule), (sent) => Array.isArray(sent) && sent.length > max, tooMany),
		v.minLength(min, tooFew),
		v.maxLength(max, tooMany),
	);
}
