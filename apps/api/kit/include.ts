import { invalid } from "@svc/base/failure";
import type { JsonSchema } from "./document/components.ts";

/**
 * Reads `include`, the one way to ask a call for more: names separated by commas.
 * @throws Failure validation_error under `include` for a name that the call does not know
 */
export function readInclude<const Name extends string>(
	params: URLSearchParams,
	known: readonly Name[],
): ReadonlySet<Name> {
	const sent = params.get("include");
	if (sent === null) return new Set();
	const names = sent.split(",").map((word) => known.find((name) => name === word));
	if (names.includes(undefined)) {
		throw invalid("include", `must be ${known.join(" or ")}, or several of them separated by commas`);
	}
	return new Set(names.filter((name) => name !== undefined));
}

/** `include` as the API document describes it. */
export function includeParameter(known: readonly string[], description: string) {
	const schema: JsonSchema = { type: "string", examples: [known.join(",")] };
	return { name: "include", in: "query" as const, schema, description };
}
