import { APP_PLAN_NAMES, OWN_PLAN_KEYS } from "@svc/base/enumerations";
import * as v from "valibot";

/* Building blocks of the answers' schemas, so that each shape has one name in the API document. */

/**
 * Gives a shape its name in the API document, where everything that uses it refers to it by that name. `about` says what it is
 * where the name alone does not.
 */
export function named<Schema extends v.GenericSchema>(component: string, schema: Schema, about?: string) {
	return v.pipe(schema, v.metadata({ component, about }));
}

/** The words of a list, under a name of their own: clients get them as a list, too. */
export function oneOf<const Words extends readonly string[]>(component: string, words: Words) {
	return named(component, v.picklist(words, `must be one of ${words.join(", ")}`));
}

/** @throws Error where the shape has no name */
export function nameOf(schema: v.GenericSchema): string {
	const { component } = v.getMetadata(schema);
	if (typeof component !== "string") throw new Error("This shape needs a name in the API document.");
	return component;
}

/** Adds a sentence to a field, for readers of the API document and of the types for clients. */
export function about<Schema extends v.GenericSchema>(schema: Schema, sentence: string) {
	return v.pipe(schema, v.description(sentence));
}

/** How the API document says that a key may be left out: the empty requirement makes the other one optional (OpenAPI 3.1, "Operation Object"). */
export const KEY_OR_NONE = [{ key: [] }, {}];

export const integer = v.pipe(v.number(), v.integer());
/** ISO 8601, UTC. */
export const dateTime = v.pipe(v.string(), v.metadata({ jsonSchema: { type: "string", format: "date-time" } }));
export const uri = v.pipe(v.string(), v.metadata({ jsonSchema: { type: "string", format: "uri" } }));
export const appPlan = oneOf("AppPlan", APP_PLAN_NAMES);
/** What an App has or pays for itself: one of its plans, or a tier, whichever the interface sells or once sold. */
export const ownPlanKey = oneOf("OwnPlanKey", OWN_PLAN_KEYS);

const ONCE = "shownOnce";

/** A secret: in the answer that makes it, and null when that is answered again under its Idempotency-Key. */
export function shownOnce(sentence = "Shown once") {
	const secret = v.pipe(v.nullable(v.string()), v.metadata({ [ONCE]: true }));
	return about(secret, `${sentence}; null where the answer is a replay under an Idempotency-Key.`);
}

export function isShownOnce(schema: v.ObjectEntries[string]): boolean {
	return v.getMetadata(schema as v.GenericSchema)[ONCE] === true;
}
