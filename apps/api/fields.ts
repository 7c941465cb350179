import { Failure } from "@svc/core/failure";
import type { FieldSchemas } from "@svc/variants/variant";
import * as v from "valibot";
import type { ApiDeps } from "./deps.ts";

/** What is wrong with a request, by the name of the field. */
export type Faults = Record<string, string[]>;

/**
 * The fields of a body, decoded. `public` is the variant's affair; names in `ignored` have no effect; `faults` may bring some along.
 * @throws Failure validation_error with all faults at once, each under the name that was sent
 */
export function decodeFields(
	deps: ApiDeps,
	sent: Readonly<Record<string, unknown>>,
	schemas: FieldSchemas,
	ignored: ReadonlySet<string>,
	faults: Faults = {},
): Record<string, unknown> {
	const fields: Record<string, unknown> = {};
	// By entries: a fault that is assigned to the name "__proto__" would be lost.
	const found: (readonly [string, readonly string[]])[] = Object.entries(faults);
	for (const [name, value] of Object.entries(sent)) {
		const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
		if (schema) {
			const parsed = v.safeParse(schema, value);
			if (parsed.success) fields[name] = parsed.output;
			else found.push([name, messages(parsed.issues)]);
		} else if (name === "public") {
			fields.public = decodePublic(deps, value, (fault) => found.push(["public", fault]));
		} else if (!ignored.has(name)) {
			found.push([name.slice(0, 100), ["is not a field of this call"]]);
		}
	}
	if (found.length > 0) throw new Failure("validation_error", Object.fromEntries(found));
	return fields;
}

function decodePublic(
	deps: ApiDeps,
	value: unknown,
	onFault: (messages: readonly string[]) => void,
): boolean | null | undefined {
	try {
		return deps.variant.visibility.decode(value, { nowMs: deps.clock.now(), publicCutoffMs: deps.publicCutoffMs });
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		onFault(cause.details?.public ?? [cause.message]);
		return undefined;
	}
}

export function messages(issues: readonly { readonly message: string }[]): string[] {
	return issues.map((issue) => issue.message);
}
