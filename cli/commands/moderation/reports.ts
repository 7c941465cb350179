import { UsageError } from "@svc/base/processes/exit";
import { REPORT_OUTCOMES, REPORT_STATES } from "@svc/sdk/lists";
import type { Report } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { oneOf, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { changeEach } from "../../kit/work/removal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const REPORT_COLUMNS: readonly Column<Report>[] = [
	...fields("id"),
	{ name: "image", value: (report) => report.image_id },
	{ name: "app", value: (report) => report.app_id, worth: -1 },
	...fields("reason"),
	{ name: "outcome", value: (report) => report.outcome ?? "open" },
	...fields("created_at"),
	{ name: "email", value: (report) => report.email, shrinks: true, worth: -2 },
	{ name: "note", value: (report) => report.note, shrinks: true },
];

const list = defineCommand({
	summary: "List what people reported",
	notes: `For operators. ${pipeNote(REPORT_COLUMNS)}`,
	examples: ["svc reports list", "svc reports list --state resolved --limit 10"],
	args: {
		...LIST_ARGS,
		state: takes.choice("Default: open", REPORT_STATES),
	},
	async run({ args }, context) {
		const filter = readChoice("state", args.state, REPORT_STATES);
		const { reports } = (await context.management()).moderation;
		return printList(context, REPORT_COLUMNS, args, (page) => reports.list({ ...page, ...filter }));
	},
});

const ADVICE = {
	not_found: "See what there is: svc reports list",
	state_conflict: "It is settled already: svc reports list --state resolved",
};

const resolve = defineCommand({
	summary: "Settle reports",
	notes: "For operators. Blocking an image settles its reports too. JSON is an array, also for one report.",
	examples: ["svc reports resolve rep_1 --outcome dismissed", "svc reports resolve rep_1 rep_2 --outcome actioned"],
	args: {
		outcome: takes.choice("What became of them", REPORT_OUTCOMES),
	},
	rest: takes.ids("Report ids"),
	async run({ args, rest }, context) {
		if (args.outcome === undefined)
			throw new UsageError("--outcome is missing.", `Add --outcome ${REPORT_OUTCOMES.join("|")}.`);
		const outcome = oneOf("--outcome", args.outcome, REPORT_OUTCOMES);
		const work = (id: string) =>
			advising(ADVICE, async () => {
				const { reports } = (await context.management()).moderation;
				return await reports.resolve(id, outcome, { signal: context.process.signal });
			});
		// Where no person is signed in, that is said once, and not for each id.
		const signedIn = async () => void (await context.management());
		return changeEach({ items: rest, before: signedIn, work, columns: REPORT_COLUMNS }, context);
	},
});

export const REPORT_COMMANDS = { list, resolve };
