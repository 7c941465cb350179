import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { shellWord } from "@svc/base/text";
import type { Job } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { followJob, JOB_ARGS, refuseFailed, waitForJob } from "../../kit/work/follow-job.ts";
import { adopt } from "./adopt.ts";
import { doctor } from "./doctor.ts";
import { forgetProcessor } from "./forget-processor.ts";
import { migrate } from "./migrate.ts";
import { restore } from "./restore/restore.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { status } from "./status.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Job>[] = [
	...fields("id", "state"),
	{ name: "path", value: ({ result }) => result?.path },
	{ name: "images", value: ({ result }) => result?.images },
	{ name: "files", value: ({ result }) => result?.files },
	{ name: "bytes", value: ({ result }) => result?.bytes },
	{ name: "damaged", value: ({ result }) => result?.damaged },
	{ name: "failure", value: (job) => job.failure, shrinks: true },
];

const backup = defineCommand({
	summary: "Back up the database and every image, while the service runs (operators)",
	notes:
		"The folder is made on the service's machine, in backups of its data directory, or in the bucket of SVC_BACKUP_TO; path\n" +
		"tells which one. It holds what the database holds, and never the secret of the deployment. Exit 3 when images were missing\n" +
		"or damaged.",
	examples: ["svc server backup", "svc server backup --field result.path", "svc server backup --no-wait --field id"],
	args: JOB_ARGS,
	async run({ args }, context) {
		const { management, out, process } = context;
		const { operator } = await management();
		const advice = {
			state_conflict: "Back up the database with its server's own tools: Backup and restore, under /docs, tells how.",
		};
		const started = await advising(advice, () => operator.backups.create({ signal: process.signal }));
		const job = args["no-wait"] === true ? started : await waitForJob(context, started);
		await out.record(COLUMNS, job);
		refuseFailed(job);
		await tellNext(context, job);
		return isSound(job.result) ? EXIT.ok : EXIT.partly;
	},
});

const REPAIR = takes.flag("Bring damaged images back from the backups, and subscriptions from the payment processor");

const reconcile = defineCommand({
	summary: "Count all storages and Apps again, look for damaged images, ask the payment processor (operators)",
	notes:
		"Waits for the end and prints the job, whose result names what differed; svc jobs wait <id> waits later on. Without --scrub\n" +
		"only the sizes of stored images are looked at. result.billing.drifts names in what subscriptions differ from the payment\n" +
		"processor's; --repair takes over what it has. result.mended names images of which earlier releases made something else,\n" +
		"result.converted_without_profile those whose HEIC may have had other colours. Exit 3 when images were damaged, and not all\n" +
		"of them were brought back.",
	examples: [
		"svc server reconcile",
		"svc server reconcile --no-wait --field id",
		"svc server reconcile --scrub --repair --field result.damaged",
	],
	args: {
		...JOB_ARGS,
		scrub: takes.flag("Read every byte of every stored image"),
		repair: REPAIR,
	},
	run: ({ args }, context) =>
		reconciled(context, { scrub: args.scrub === true, repair: args.repair === true }, args["no-wait"] === true),
});

const scrub = defineCommand({
	summary: "Read every byte of every stored image, and name what is damaged (operators)",
	notes:
		"The same as svc server reconcile --scrub: waits for the end and prints the job, whose result names what differed;\n" +
		"svc jobs wait <id> waits later on. Exit 3 when images were damaged, and not all of them were brought back.",
	examples: [
		"svc server scrub",
		"svc server scrub --repair --field result.damaged",
		"svc server scrub --no-wait --field id",
	],
	args: { ...JOB_ARGS, repair: REPAIR },
	run: ({ args }, context) =>
		reconciled(context, { scrub: true, repair: args.repair === true }, args["no-wait"] === true),
});

/** Starts the job, and waits for it unless that is not wanted. */
async function reconciled(
	context: Context,
	{ scrub, repair }: { readonly scrub: boolean; readonly repair: boolean },
	isLeft: boolean,
): Promise<ExitCode> {
	const { management, process } = context;
	const body = { ...(scrub && { scrub }), ...(repair && { repair }) };
	const { operator } = await management();
	const started = await operator.reconcile({ ...body, signal: process.signal });
	if (isLeft) return followJob(context, started, true);
	const job = await waitForJob(context, started);
	await followJob(context, job, true);
	return (await tellDamage(context, job)) ? EXIT.partly : EXIT.ok;
}

/** True where images are still damaged. */
async function tellDamage({ out }: Context, { result }: Job): Promise<boolean> {
	const [total, repaired] = [Number(result?.damaged_total ?? 0), Number(result?.repaired ?? 0)];
	if (total === 0) return false;
	if (!out.isJson) {
		await out.note(`The stored bytes of ${total} images are damaged or missing; ${repaired} were brought back.`);
		if (repaired < total)
			await out.note("From a backup elsewhere: svc server restore <backup> --to <data> --only-damaged");
	}
	return repaired < total;
}

export const SERVER_COMMANDS = {
	status,
	doctor,
	reconcile,
	scrub,
	backup,
	restore,
	migrate,
	adopt,
	"forget-processor": forgetProcessor,
	"rotate-secret": rotateSecret,
	trash: {
		summary: "stored pictures that the database does not know, for operators",
		commands: async () => (await import("./trash.ts")).TRASH_COMMANDS,
	},
};

async function tellNext({ out }: Context, { result }: Job): Promise<void> {
	if (out.isJson || typeof result?.path !== "string") return;
	if (!result.path.startsWith("s3://"))
		await out.note("Copy this folder to another machine: here it is lost together with the service.");
	await out.note(
		"The secret of the deployment is not in it: keep the file deployment-secret, or SVC_DEPLOYMENT_SECRET, elsewhere.",
	);
	await out.note(`To bring it back: svc server restore ${shellWord(result.path)} --to <an empty folder>`);
	if (isSound(result)) return;
	await out.note("The stored bytes of some images are missing or damaged; the service's log names these images.");
}

function isSound(result: Job["result"]): boolean {
	return (result?.damaged ?? 0) === 0;
}
