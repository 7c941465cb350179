import { Faults } from "@svc/base/http/faults";
import type { FieldSchemas } from "@svc/variants/variant";
import * as v from "valibot";
import type { ApiRooms } from "../rooms.ts";

type Sent = Readonly<Record<string, unknown>>;

/** The fields that a call takes. Names in `ignored` have no effect. */
interface Taken {
	readonly json: FieldSchemas;
	readonly ignored: ReadonlySet<string>;
}

/**
 * The fields of a body, decoded. Names in `ignored` have no effect, and those that were retired none until their day; `faults` may
 * bring some along.
 * @throws Failure validation_error with all faults at once, each under the name that was sent
 */
export function decodeFields(
	rooms: ApiRooms,
	sent: Sent,
	schemas: FieldSchemas,
	ignored: ReadonlySet<string>,
	faults = new Faults(),
): Record<string, unknown> {
	const fields = judgeFields(rooms, sent, { json: schemas, ignored }, faults);
	if (faults.some) throw faults.failure();
	return fields;
}

/** The same for one part of a body: what is wrong with it is added to the faults, under its place. */
export function judgeFields(
	rooms: ApiRooms,
	sent: Sent,
	{ json, ignored }: Taken,
	faults: Faults,
	place?: string,
): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(sent)) {
		const schema = Object.hasOwn(json, name) ? json[name] : undefined;
		if (schema) {
			const parsed = v.safeParse(schema, value);
			if (parsed.success) fields[name] = parsed.output;
			else faults.add(name, messages(parsed.issues), place);
		} else if (!ignored.has(name)) {
			const fault = faultOf(rooms, name);
			if (fault !== undefined) faults.add(name, [fault], place);
		}
	}
	return fields;
}

/** The fault of a field whose name means nothing here; undefined for one that has no effect yet. */
function faultOf({ variant, clock, publicCutoffMs }: ApiRooms, name: string): string | undefined {
	if (!variant.retired.has(name)) return "is not a field of this call";
	if (clock.now() < publicCutoffMs) return undefined;
	return `was retired on ${new Date(publicCutoffMs).toISOString().slice(0, 10)}: leave it out`;
}

export function messages(issues: readonly { readonly message: string }[]): string[] {
	return issues.map((issue) => issue.message);
}
