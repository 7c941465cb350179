import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer, Call, Guard } from "./call.ts";
import { answers, jsonBody } from "./document.ts";
import { readInput } from "./input.ts";

/** What a route does, and how the API document tells of it. */
interface Route<Known extends Call, Entries extends v.ObjectEntries> {
	readonly operationId: string;
	readonly summary: string;
	readonly description?: string;
	readonly tags: string[];
	/** None, where nobody has to be known. */
	readonly security?: [];
	readonly parameters?: readonly Parameter[];
	/** Fields of the JSON body. */
	readonly body?: Entries;
	/** By status. */
	readonly answers: Readonly<Record<number, v.GenericSchema<unknown, unknown>>>;
	run(call: Known & Input<Entries>): Promise<Answer>;
}

interface Parameter {
	readonly name: string;
	readonly in: "query" | "header";
	readonly schema: object;
	readonly description?: string;
}

interface Input<Entries extends v.ObjectEntries> {
	/**
	 * The fields of the body, read when they are asked for: what refuses a call beforehand does so without them.
	 * @throws Failure as {@link readInput}
	 */
	input(): Promise<v.InferOutput<v.ObjectSchema<Entries, undefined>>>;
}

/** Registers a route together with its entry in the API document. */
export function route<Known extends Call, Entries extends v.ObjectEntries>(
	app: Elysia,
	method: "GET" | "POST" | "PATCH" | "DELETE",
	path: string,
	guard: Guard<Known>,
	{ run, body, answers: answered, ...described }: Route<Known, Entries>,
): void {
	const handler = guard((call) => run({ ...call, input: () => readInput(call, body ?? ({} as Entries)) }));
	const responses = Object.entries(answered).map(([status, schema]) => answers(Number(status), schema).responses);
	const detail = { ...described, ...(body && jsonBody(v.object(body))), responses: Object.assign({}, ...responses) };
	// Bodies are read by the route, after the caller is known.
	app.route(method, path, handler, { parse: "none", detail: detail as object });
}
