import { about, named } from "@svc/variants/shape";
import * as v from "valibot";
import { ok } from "./call.ts";
import type { Answer } from "./call-types.ts";

export const tombstoneSchema = named(
	"Tombstone",
	v.object({ id: v.string(), object: about(v.string(), "What it was, as `image`."), deleted: v.boolean() }),
	"What is left of a deleted thing.",
);

export function deleted(object: string, id: string): Answer<v.InferOutput<typeof tombstoneSchema>> {
	return ok({ id, object, deleted: true });
}
