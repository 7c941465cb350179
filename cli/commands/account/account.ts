import { open, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, LocalError } from "../../kit/exit.ts";
import { givenFilters } from "../../kit/line/choice.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { followJob, JOB_ARGS, JOB_COLUMNS } from "../../kit/work/follow-job.ts";
import { AUDIT_COLUMNS, readSince } from "../audit/audit.ts";

const activity = defineCommand({
	summary: "List what was done to your account, by yourself and by operators, newest first",
	notes: `For a session, not a token.\n${pipeNote(AUDIT_COLUMNS)}`,
	examples: ["svc account activity", "svc account activity --since 7d --all"],
	args: {
		...LIST_ARGS,
		since: { type: "string", valueHint: "date", description: "Only from then on: ISO 8601, or 15m, 24h, 7d ago" },
	},
	async run({ args }, context) {
		const filters = givenFilters({ since: readSince(args.since, context.process.date()) });
		const { me } = await context.management();
		return printList(context, AUDIT_COLUMNS, args, (page) => me.activity.list({ ...page, ...filters }));
	},
});

const exportAll = defineCommand({
	summary: "Have a copy made of all that Apps keep for you and of your account, as a ZIP file",
	notes:
		"One a day, by a session that was confirmed lately. It can be fetched for 7 days: with --out at once, with --job and --out later.",
	examples: ["svc account export", "svc account export --app app_1 --no-wait"],
	args: {
		...JOB_ARGS,
		app: { type: "string", valueHint: "id", description: "Only what this App keeps for you" },
		job: { type: "string", valueHint: "id", description: "An earlier export, instead of asking for another one" },
		out: { type: "string", valueHint: "file", description: "Save the copy to a new file, only yours to read" },
	},
	async run({ args, all }, context) {
		const noWait = all("no-wait").length > 0;
		const { me, jobs } = await context.management();
		const { signal } = context.process;
		if (args.out !== undefined && noWait)
			throw new LocalError("A copy that is not waited for cannot be saved.", "Leave out --no-wait.", EXIT.usage);
		const job =
			args.job === undefined ? await me.exports.start({ app: args.app, signal }) : await jobs.get(args.job, { signal });
		const exit = await followJob(context, job, noWait);
		if (args.out !== undefined) await save(context, args.out, await me.exports.download(job.id, { signal }));
		return exit;
	},
});

/** Its own file, or none: what a broken connection leaves is removed. */
async function save({ process, out }: Context, file: string, copy: ReadableStream<Uint8Array>): Promise<void> {
	const path = resolve(process.cwd, file);
	const opened = await open(path, "wx", 0o600).catch(async (error: NodeJS.ErrnoException) => {
		await copy.cancel();
		if (error.code === "EEXIST") throw new LocalError(`${file} exists already.`, "Name another file.", EXIT.conflict);
		throw new LocalError(`${file} cannot be written (${error.code}).`, "Check the folder, and who may write there.");
	});
	let bytes = 0;
	try {
		for await (const part of copy) {
			process.signal.throwIfAborted();
			await opened.writeFile(part);
			bytes += part.length;
		}
	} catch (error) {
		await rm(path, { force: true });
		throw error;
	} finally {
		await opened.close();
	}
	await out.note(`Wrote ${bytes} bytes to ${file}.`);
}

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
