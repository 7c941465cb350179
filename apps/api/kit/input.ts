import { Failure } from "@svc/base/failure";
import * as v from "valibot";
import { requireJson } from "./body.ts";
import type { Call } from "./call.ts";

/**
 * The fields of a JSON body, each decoded by its own schema. An optional field that was not sent is left out.
 * @throws Failure validation_error with all faults at once, unknown fields among them; bad_request for what is no JSON object
 */
export async function readInput<Entries extends v.ObjectEntries>(
	{ request }: Call,
	entries: Entries,
): Promise<v.InferOutput<v.ObjectSchema<Entries, undefined>>> {
	const sent = request.body === null ? {} : await requireJson(request);
	const faults: (readonly [string, readonly string[]])[] = [];
	for (const name of Object.keys(sent)) {
		if (!Object.hasOwn(entries, name)) faults.push([name.slice(0, 100), ["is not a field of this call"]]);
	}
	const parsed = v.safeParse(v.object(entries), sent);
	if (parsed.success && faults.length === 0) return parsed.output;
	// By entries: a fault that is assigned to the name "__proto__" would be lost.
	throw new Failure("validation_error", Object.fromEntries([...faults, ...faultsOf(parsed.issues ?? [])]));
}

function faultsOf(issues: readonly v.BaseIssue<unknown>[]): readonly (readonly [string, readonly string[]])[] {
	const byField = new Map<string, string[]>();
	for (const issue of issues) {
		const field = String(issue.path?.[0]?.key ?? "body");
		// The library's own sentence for a field that is not there speaks of types, not of what to do.
		const missing = issue.input === undefined && issue.received === "undefined";
		byField.set(field, [...(byField.get(field) ?? []), missing ? "is required" : issue.message]);
	}
	return [...byField];
}
