import * as v from "valibot";
import type { Answer } from "./call.ts";

/** What is left of a thing that was deleted. */
export function tombstoneSchema<Noun extends string>(object: Noun) {
	return v.object({ id: v.string(), object: v.literal(object), deleted: v.literal(true) });
}

export function deleted(object: string, id: string): Answer {
	return { status: 200, body: { id, object, deleted: true } };
}
