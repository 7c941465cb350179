import { UsageError } from "@svc/base/processes/exit";
import { LOG_LEVELS } from "@svc/sdk/lists";
import type { LogLine } from "@svc/sdk/shapes";
import { wait } from "@svc/sdk/wire/retry";
import { type Context, defineCommand } from "../../kit/command.ts";
import { readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, cellText, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { printAsTheyCome, readEnd, upTo } from "../../kit/work/as-they-come.ts";
import { OPERATOR_ADVICE } from "./operator-apps.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<LogLine>[] = [
	...fields("at", "level", "message"),
	{ name: "facts", value: ({ facts }) => wordsOf(facts), shrinks: true },
];

const EVERY_MS = 2_000;
const BACKLOG = 10;
const PAGE = 100;
const LEVEL = takes.choice("Only lines of this level or a graver one", LOG_LEVELS);
const WHICH = "Of the process that answers, which keeps its last 1,000 lines in memory.";

const list = defineCommand({
	summary: "List the last lines of the service's log, oldest first",
	notes: `${WHICH}\n${pipeNote(COLUMNS)}`,
	examples: ["svc logs list", "svc logs list --level error --limit 5", "svc logs list -o jsonl"],
	args: {
		level: LEVEL,
		limit: takes.text("At most this many; default 50, at most 100", "n"),
	},
	async run({ args }, context) {
		const limit = args.limit === undefined ? undefined : Math.min(PAGE, readEnd(args.limit));
		const { data } = await read(context, { ...readChoice("level", args.level, LOG_LEVELS), limit });
		await context.out.rows(COLUMNS, data);
	},
});

const tail = defineCommand({
	summary: "Follow the service's log",
	notes:
		`${WHICH} Begins with the last ${BACKLOG} lines. Ends by Ctrl-C (exit 130), or after --limit lines.\n` +
		`${pipeNote(COLUMNS)} JSON is for --limit; else use -o jsonl.`,
	examples: ["svc logs tail --limit 2", "svc logs tail --level warn --limit 1"],
	args: { level: LEVEL, limit: takes.text("End after this many lines", "n") },
	async run({ args }, context) {
		const limit = readEnd(args.limit);
		if (context.globals.format === "json" && limit === Number.POSITIVE_INFINITY)
			throw new UsageError("JSON is one array, and this one has no end.", "Use -o jsonl, or --limit <n>.");
		const lines = follow(readChoice("level", args.level, LOG_LEVELS), context);
		await printAsTheyCome(COLUMNS, upTo(lines, limit), context);
	},
});

export const LOG_COMMANDS = { list, tail };

interface Asked {
	readonly level?: LogLine["level"] | undefined;
	readonly after?: string | undefined;
	readonly limit?: number | undefined;
}

async function read(context: Context, asked: Asked) {
	const { operator } = await context.management();
	return await advising(OPERATOR_ADVICE, () => operator.logs({ ...asked, signal: context.process.signal }));
}

async function* follow(filter: Asked, context: Context): AsyncGenerator<LogLine, void, undefined> {
	let page = await read(context, { ...filter, limit: BACKLOG });
	for (;;) {
		yield* page.data;
		if (!page.pagination.has_more) await wait(EVERY_MS, context.process.signal);
		page = await read(context, { ...filter, after: page.latest ?? "", limit: PAGE });
	}
}

/** `method=GET path=/v1/usage`: facts are read, and seldom by programs that do not take JSON. */
function wordsOf(facts: LogLine["facts"]): string {
	return Object.entries(facts)
		.map(([name, value]) => `${name}=${cellText(value)}`)
		.join(" ");
}
