import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { type Fetch, NotSent } from "@svc/sdk/wire/request";
import type { Context } from "./command.ts";
import type { Output } from "./output/output.ts";
import { type Column, fields } from "./output/table.ts";

/* `--dry-run`: calls are made as they always are, and what would change something is not sent but shown. So no command says twice what it sends. */

/** A call that would be made. */
interface PlannedCall {
	readonly method: string;
	readonly path: string;
	readonly body?: unknown;
}

/** What a call that would change something ends with in a dry run. */
class Planned extends NotSent {
	readonly calls: readonly PlannedCall[];

	constructor(calls: readonly PlannedCall[]) {
		super("Nothing is sent in a dry run.");
		this.calls = calls;
	}
}

const COLUMNS: readonly Column<PlannedCall>[] = [
	...fields("method", "path"),
	{ name: "body", value: (call) => call.body },
];

/** A fetch that sends what only reads, and throws everything else as {@link Planned}. */
export function planningFetch(fetch: Fetch, baseUrl: string): Fetch {
	return async (url, init) => {
		const { method = "GET", body } = init;
		if (method === "GET" || method === "HEAD") return await fetch(url, init);
		// A place that is only known then is written in braces.
		const path = url.slice(baseUrl.replace(/\/+$/, "").length).replaceAll("%7B", "{").replaceAll("%7D", "}");
		throw new Planned([{ method, path, ...(body != null && { body: readable(body) }) }]);
	};
}

function readable(body: unknown): unknown {
	if (typeof body === "string") return JSON.parse(body);
	if (!(body instanceof FormData)) return {};
	return Object.fromEntries([...body].map(([name, value]) => [name, value instanceof Blob ? value.name : value]));
}

/**
 * In a dry run: plans all of these calls, none of which needs the answer of another, and ends the command. Otherwise does nothing.
 * @throws Planned, or whatever else one of them fails with
 */
export async function planAll({ globals }: Pick<Context, "globals">, works: Iterable<() => Promise<unknown>>) {
	if (!globals.dryRun) return;
	const calls: PlannedCall[] = [];
	for (const work of works) {
		await work().catch((error: unknown) => {
			if (!(error instanceof Planned)) throw error;
			calls.push(...error.calls);
		});
	}
	throw new Planned(calls);
}

/** Shows what a command ended with in a dry run. @throws the same error, where it is something else */
export async function showPlanned(out: Output, error: unknown): Promise<ExitCode> {
	if (!(error instanceof Planned)) throw error;
	await out.note(error.calls.length === 0 ? "Nothing would be sent." : "Nothing is sent. These calls would be made:");
	await out.rows(COLUMNS, error.calls);
	return EXIT.ok;
}
