import { Failure } from "@svc/base/failure";
import type { FieldSchemas } from "@svc/variants/variant";
import * as v from "valibot";
import type { ApiRooms } from "./rooms.ts";

/** The faults of a request, by the name of the field. */
export type Faults = Record<string, string[]>;

/**
 * The fields of a body, decoded. Names in `ignored` have no effect, and those that were retired none until their day; `faults` may
 * bring some along.
 * @throws Failure validation_error with all faults at once, each under the name that was sent
 */
export function decodeFields(
	rooms: ApiRooms,
	sent: Readonly<Record<string, unknown>>,
	schemas: FieldSchemas,
	ignored: ReadonlySet<string>,
	faults: Faults = {},
): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	// Collected as entries: assigning a fault to the name "__proto__" would lose it.
	const found: (readonly [string, readonly string[]])[] = Object.entries(faults);
	for (const [name, value] of Object.entries(sent)) {
		const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
		if (schema) {
			const parsed = v.safeParse(schema, value);
			if (parsed.success) fields[name] = parsed.output;
			else found.push([name, messages(parsed.issues)]);
		} else if (!ignored.has(name)) {
			found.push(...faultOf(rooms, name));
		}
	}
	if (found.length > 0) throw new Failure("validation_error", Object.fromEntries(found));
	return fields;
}

/** The fault of a field whose name means nothing here. */
function faultOf({ variant, clock, publicCutoffMs }: ApiRooms, name: string): readonly [string, readonly string[]][] {
	if (!variant.retired.has(name)) return [[name.slice(0, 100), ["is not a field of this call"]]];
	if (clock.now() < publicCutoffMs) return [];
	return [[name, [`was retired on ${new Date(publicCutoffMs).toISOString().slice(0, 10)}: leave it out`]]];
}

export function messages(issues: readonly { readonly message: string }[]): string[] {
	return issues.map((issue) => issue.message);
}
