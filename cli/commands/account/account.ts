import { EXIT, LocalError } from "@svc/base/processes/exit";
import { AUDIT_ENTRY } from "@svc/nouns/audit";
import { defineCommand } from "../../kit/command.ts";
import { givenFilters } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { saveStream } from "../../kit/output/save-stream.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { followJob, JOB_ARGS, JOB_COLUMNS } from "../../kit/work/follow-job.ts";
import { readSince } from "../audit/audit.ts";

const activity = defineCommand({
	summary: "List what was done to your account, by yourself and by operators, newest first",
	notes: `For a session, not a token.\n${pipeNote(AUDIT_ENTRY.list)}`,
	examples: ["svc account activity", "svc account activity --since 7d --all"],
	args: {
		...LIST_ARGS,
		since: takes.text("Only from then on: ISO 8601, or 15m, 24h, 7d ago", "date"),
	},
	async run({ args }, context) {
		const filters = givenFilters({ since: readSince(args.since, context.process.date()) });
		const { me } = await context.management();
		return printList(context, AUDIT_ENTRY.list, args, (page) => me.activity.list({ ...page, ...filters }));
	},
});

const exportAll = defineCommand({
	summary: "Have a copy made of all that Apps keep for you and of your account, as a ZIP file",
	notes:
		"One a day, by a session that was confirmed lately. It can be fetched for 7 days: with --out at once, with --job and --out later.",
	examples: ["svc account export", "svc account export --app app_1 --no-wait"],
	args: {
		...JOB_ARGS,
		app: takes.text("Only what this App keeps for you", "id"),
		job: takes.text("An earlier export, instead of asking for another one", "id"),
		out: takes.text("Save the copy to a new file, only yours to read", "file"),
	},
	async run({ args }, context) {
		const noWait = args["no-wait"] === true;
		const { me, jobs } = await context.management();
		const { signal } = context.process;
		if (args.out !== undefined && noWait)
			throw new LocalError("A copy that is not waited for cannot be saved.", "Leave out --no-wait.", EXIT.usage);
		const job =
			args.job === undefined ? await me.exports.start({ app: args.app, signal }) : await jobs.get(args.job, { signal });
		const exit = await followJob(context, job, noWait);
		if (args.out !== undefined) {
			const bytes = await saveStream(context, args.out, await me.exports.download(job.id, { signal }));
			await context.out.note(`Wrote ${bytes} bytes to ${args.out}.`);
		}
		return exit;
	},
});

const exportsList = defineCommand({
	summary: "List your exports that are being made or can still be fetched, newest first",
	notes: `For a session, not a token.\n${pipeNote(JOB_COLUMNS)}`,
	examples: ["svc account exports", "svc account exports --field id"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { me } = await context.management();
		return printList(context, JOB_COLUMNS, args, (page) => me.exports.list(page));
	},
});

export const ACCOUNT_COMMANDS = {
	activity,
	plans: {
		summary: "what you pay for",
		old: { show: "get" },
		commands: async () => (await import("../billing/own-plans.ts")).OWN_PLAN_COMMANDS,
	},
	passkeys: {
		summary: "keys in your devices that sign in without a code",
		commands: async () => (await import("./passkeys.ts")).PASSKEY_COMMANDS,
	},
	export: exportAll,
	exports: exportsList,
};
