import type { AnonymousRules, FieldSchemas, Variant } from "@svc/variants/variant";
import * as v from "valibot";

type Field = v.GenericSchema<unknown, unknown>;

const DAY_SECONDS = 86_400;

/** The interface as those meet it who create without a key: smaller files, no image that is private, none that stays. */
export function withoutKey(variant: Variant, rules: AnonymousRules): Variant {
	const { create, visibility } = variant;
	const bounded = (fields: FieldSchemas, ttl: (ttl: Field) => Field) =>
		fields.ttl ? { ...fields, ttl: ttl(atMost(fields.ttl, rules.ttlSeconds)) } : fields;
	return {
		...variant,
		files: { ...variant.files, maxBytes: Math.min(variant.files.maxBytes, rules.maxBytes) },
		create: {
			...create,
			json: alwaysPublic(bounded(create.json, (ttl) => ttl)),
			form: alwaysPublic(bounded(create.form, (ttl) => orEmpty(ttl, rules.ttlSeconds))),
		},
		visibility: { ...visibility, initial: () => true },
	};
}

function alwaysPublic(fields: FieldSchemas): FieldSchemas {
	if (!fields.public) return fields;
	const rule = v.check((wanted) => wanted === true, "must be true: without a key every image is public");
	return { ...fields, public: v.pipe(fields.public, rule) };
}

function atMost(ttl: Field, seconds: number): Field {
	return v.pipe(
		ttl,
		v.check(
			(wanted) => typeof wanted === "number" && wanted <= seconds,
			`must be at most ${seconds / DAY_SECONDS}d without a key`,
		),
	);
}

/** A field of a form that was not filled in asks for nothing in particular. */
function orEmpty(field: Field, otherwise: number): Field {
	const empty = v.pipe(
		v.literal(""),
		v.transform(() => otherwise),
	);
	return v.lazy((sent) => (sent === "" ? empty : field));
}
