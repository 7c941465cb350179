import type { AppRecord } from "@svc/apps/app-record";
import { named } from "@svc/variants/shape";
import * as v from "valibot";

/* How an App is named in what belongs to it. */

export const appReference = named(
	"AppReference",
	v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
);

export function encodeReference({ id, name }: Pick<AppRecord, "id" | "name">): v.InferOutput<typeof appReference> {
	return { id, object: "app", name };
}
