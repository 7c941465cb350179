import type { ToolOperation } from "./api-document.ts";

/** Arguments of a tool, as a client sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** The REST API as somebody; the SDK's client is one. Rejects as that does. */
export interface Rest {
	request(method: string, path: string, options?: RestOptions): Promise<unknown>;
}

interface RestOptions {
	readonly query?: Readonly<Record<string, string | number | boolean>>;
	readonly body?: unknown;
	readonly idempotencyKey?: string;
	readonly signal?: AbortSignal;
}

/** An argument is not what the tool takes; nothing was sent. */
export class Misuse extends Error {
	override readonly name = "Misuse";
	readonly field: string;
	readonly fix: string;

	constructor(field: string, fix: string) {
		super(`${field} ${fix}.`);
		this.field = field;
		this.fix = fix;
	}
}

/** Makes the call that the arguments mean; the service judges what is in them. @throws Misuse, and as `rest` does */
export async function send(
	{ method, path, parameters, body }: ToolOperation,
	given: Arguments,
	rest: Rest,
	signal: AbortSignal,
): Promise<unknown> {
	const placed = new Set(parameters.map(({ name }) => name));
	const query = parameters
		.filter((one) => one.in === "query" && given[one.name] !== undefined)
		.map(({ name }) => [name, plainOf(name, given[name])] as const);
	const fields = Object.entries(given).filter(([name]) => !placed.has(name));
	return await rest.request(
		method,
		path.replace(/\{(\w+)\}/g, (_, name: string) => partOf(name, given[name])),
		{
			query: Object.fromEntries(query),
			...(body && { body: Object.fromEntries(fields) }),
			...(method === "POST" && { idempotencyKey: crypto.randomUUID() }),
			signal,
		},
	);
}

/** A part of a path must not make it another path: a call about one thing would become one about all of them. */
function partOf(name: string, value: unknown): string {
	if (typeof value !== "string" || ["", ".", ".."].includes(value)) throw new Misuse(name, "must be an id");
	return encodeURIComponent(value);
}

function plainOf(name: string, value: unknown): string | number | boolean {
	if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
	throw new Misuse(name, "must be a text, a number, true or false");
}

/** @throws Misuse for what the tool does not take, and for what it needs */
export function checkArguments(given: Arguments, takes: readonly string[], needs: readonly string[] = []): void {
	for (const name of Object.keys(given))
		if (!takes.includes(name))
			throw new Misuse(name, `is not known here; leave it out. Known: ${takes.join(", ") || "nothing"}`);
	for (const name of needs) if (given[name] === undefined) throw new Misuse(name, "is required");
}
