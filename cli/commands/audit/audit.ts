import { UsageError } from "@svc/base/processes/exit";
import { readDate } from "@svc/base/words/dates";
import { AUDIT_ENTRY } from "@svc/nouns/audit";
import type { AuditEntry } from "@svc/sdk/shapes";
import { wait } from "@svc/sdk/wire/retry";
import { type Context, defineCommand } from "../../kit/command.ts";
import { givenFilters } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { readEnd, upTo } from "../../kit/work/as-they-come.ts";

/** The filters of an audit. */
const AUDIT_ARGS = {
	actor: takes.text("Only what this account did", "id"),
	event: takes.text("Only this, as key.revoked", "event"),
	since: takes.text("Only from then on: ISO 8601, or 15m, 24h, 7d ago", "date"),
} as const;

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const list = defineCommand({
	summary: "List what was done in an App, and by whom, newest first",
	notes: pipeNote(AUDIT_ENTRY.list),
	examples: ["svc audit list", "svc audit list --event key.revoked --since 7d --all", "svc audit list -o jsonl"],
	args: { ...LIST_ARGS, ...AUDIT_ARGS },
	async run({ args }, context) {
		const { actor, event } = args;
		const filters = givenFilters({ actor, event, since: readSince(args.since, context.process.date()) });
		const app = await context.app();
		return printList(context, AUDIT_ENTRY.list, args, (page) => app.audit.list({ ...page, ...filters }));
	},
});

const BACKLOG = 10;
const PAGE = 100;
const EVERY_MS = 2_000;
const tail = defineCommand({
	summary: "Follow what is done in an App, as it is done",
	notes:
		`Begins with the last ${BACKLOG} entries, or with all from --since on. Ends by Ctrl-C (exit 130), or after --limit entries.\n` +
		`${pipeNote(AUDIT_ENTRY.list)} JSON is for --limit; else use -o jsonl.`,
	examples: ["svc audit tail --limit 2", "svc audit tail --event key.revoked --since 24h --limit 1"],
	args: { ...AUDIT_ARGS, limit: takes.text("End after this many entries", "n") },
	async run({ args }, context) {
		const { globals, process } = context;
		const { actor, event } = args;
		const limit = readEnd(args.limit);
		if (globals.format === "json" && limit === Number.POSITIVE_INFINITY) {
			throw new UsageError("JSON is one array, and this one has no end.", "Use -o jsonl, or --limit <n>.");
		}
		const app = await context.app();
		const { signal } = process;
		const entries = follow({
			since: (since) => app.audit.all({ ...givenFilters({ actor, event, since }), limit: PAGE, signal }),
			pause: () => wait(EVERY_MS, signal),
			from: readSince(args.since, process.date()),
			backlog: BACKLOG,
		});
		await printAsTheyCome(upTo(entries, limit), context);
	},
});

export const AUDIT_COMMANDS = { list, tail };

/** A date as it is, a duration as the time so long before `now`. @throws UsageError */
export function readSince(sent: string | undefined, now: Date): string | undefined {
	if (sent === undefined) return undefined;
	const [, amount, unit = ""] = /^(\d{1,6})([smhd])$/.exec(sent) ?? [];
	const milliseconds = Number(amount) * (UNITS[unit] ?? 0);
	if (amount !== undefined) return new Date(now.getTime() - milliseconds).toISOString();
	const atMs = readDate(sent);
	if (atMs === undefined) throw new UsageError(`--since takes a date or a time such as 15m; not "${sent}".`);
	return new Date(atMs).toISOString();
}

/** Line by line, where a table would wait for the last row. */
async function printAsTheyCome(entries: AsyncIterable<AuditEntry>, { globals, out, process }: Context): Promise<void> {
	const { format, field, quiet } = globals;
	const isTable = format === "table" || (format === undefined && process.out.isTerminal);
	if (!isTable || field !== undefined || (quiet && format === undefined)) return out.rows(AUDIT_ENTRY.list, entries);
	const { entryLine } = await import("./entry-line.ts");
	const width = globals.wide ? Number.POSITIVE_INFINITY : process.out.columns;
	for await (const entry of entries) await out.text(entryLine(entry, width));
}

/** Entries carry the time at which their call began, so that one may come after another that is younger. */
const OVERLAP_MS = 60_000;

interface FollowOptions {
	/** Entries from a time on, newest first; all of them without one. */
	since(date: string | undefined): AsyncIterable<AuditEntry>;
	/** Waits between two polls. */
	pause(): Promise<void>;
	/** The time to begin at. Undefined: begin with the last few entries. */
	readonly from: string | undefined;
	/** The number of those entries. */
	readonly backlog: number;
}

const timeOf = ({ created_at }: AuditEntry): number => Date.parse(created_at);

/** Yields entries as they come, oldest first, each of them once. */
export async function* follow(following: FollowOptions): AsyncGenerator<AuditEntry, void, undefined> {
	const { since, pause, from, backlog } = following;
	const floorMs = from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from);
	/** Entries that the next poll may find again, and no more. */
	let seen: readonly AuditEntry[] = await firstLook(following);
	yield* (from === undefined ? seen.slice(0, backlog) : seen).toReversed();
	for (;;) {
		await pause();
		const overlapMs = newestOf(seen) - OVERLAP_MS;
		const startMs = Math.max(floorMs, overlapMs);
		const known = new Set(seen.map(({ id }) => id));
		const fresh: AuditEntry[] = [];
		for await (const entry of since(Number.isFinite(startMs) ? new Date(startMs).toISOString() : undefined)) {
			if (!known.has(entry.id)) fresh.push(entry);
		}
		yield* fresh.toReversed();
		const all = [...seen, ...fresh];
		const keptMs = newestOf(all) - OVERLAP_MS;
		seen = all.filter((entry) => timeOf(entry) >= keptMs);
	}
}

/** The first poll: as many entries as are shown, and all that the next poll will find again. */
async function firstLook({ since, from, backlog }: FollowOptions): Promise<AuditEntry[]> {
	const found: AuditEntry[] = [];
	for await (const entry of since(from)) {
		const isNeeded = from !== undefined || found.length < backlog || timeOf(entry) >= newestOf(found) - OVERLAP_MS;
		if (!isNeeded) break;
		found.push(entry);
	}
	return found;
}

function newestOf(entries: readonly AuditEntry[]): number {
	return Math.max(...entries.map(timeOf));
}
