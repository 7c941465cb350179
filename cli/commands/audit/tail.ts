import { wait } from "@svc/sdk/deadline";
import type { AuditEntry } from "@svc/sdk/management-types";
import { EXIT, UsageError } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { cell } from "../../table.ts";
import { teamOf } from "../../team.ts";
import { padEnd } from "../../text.ts";
import { AUDIT_ARGS, AUDIT_COLUMNS, readSince } from "./columns.ts";
import { follow } from "./follow.ts";

const BACKLOG = 10;
const PAGE = 100;
const EVERY_MS = 2_000;
/** A table has to know its widths beforehand: a time, an event and the two ids. */
const WIDTHS = [24, 24, 26, 26];

/** @throws UsageError */
function readLimit(sent: string | undefined): number {
	if (sent === undefined) return Number.POSITIVE_INFINITY;
	const number = /^\d{1,9}$/.test(sent) ? Number(sent) : 0;
	if (number >= 1) return number;
	throw new UsageError(`--limit takes a whole number from 1; not "${sent}".`);
}

async function* upTo<T>(source: AsyncIterable<T>, limit: number): AsyncGenerator<T, void, undefined> {
	let left = limit;
	for await (const one of source) {
		yield one;
		left--;
		if (left <= 0) return;
	}
}

function entryLine(entry: AuditEntry): string {
	const shown = AUDIT_COLUMNS.filter(({ hidden }) => hidden !== true);
	return shown
		.map((column, index) => padEnd(cell(column, entry), WIDTHS[index] ?? 0))
		.join("  ")
		.trimEnd();
}

/** Line by line, where a table would wait for the last row. */
async function printAsTheyCome(entries: AsyncIterable<AuditEntry>, { globals, out, world }: Context): Promise<void> {
	const { format, field, quiet } = globals;
	const isTable = format === "table" || (format === undefined && world.out.isTerminal);
	if (!isTable || field !== undefined || (quiet && format === undefined)) return out.rows(AUDIT_COLUMNS, entries);
	for await (const entry of entries) await out.text(entryLine(entry));
}

export const tail = defineLeaf({
	summary: "Follow what is done in an App, as it is done",
	notes:
		`Begins with the last ${BACKLOG} entries, or with all from --since on. Ends by Ctrl-C (exit 130), or after --limit entries.\n` +
		"A pipe gets: created_at, event, target, actor, changes, request_id, id. JSON is for --limit; else use -o jsonl.",
	examples: ["svc audit tail --limit 2", "svc audit tail --event key.revoked --since 24h --limit 1"],
	args: { ...AUDIT_ARGS, limit: { type: "string", valueHint: "n", description: "End after this many entries" } },
	async run({ args }, context) {
		const { globals, world } = context;
		const { actor, event } = args;
		const limit = readLimit(args.limit);
		if (globals.format === "json" && limit === Number.POSITIVE_INFINITY) {
			throw new UsageError("JSON is one array, and this one has no end.", "Use -o jsonl, or --limit <n>.");
		}
		const { app } = await teamOf(context);
		const { signal } = world;
		const entries = follow({
			since: (since) => app.audit.all({ ...givenFilters({ actor, event, since }), limit: PAGE, signal }),
			pause: () => wait(EVERY_MS, signal),
			from: readSince(args.since, world.date()),
			backlog: BACKLOG,
		});
		await printAsTheyCome(upTo(entries, limit), context);
		return EXIT.ok;
	},
});
