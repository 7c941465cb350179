import { type Context, defineCommand } from "../../kit/command.ts";
import { EXIT, type ExitCode, LocalError } from "../../kit/exit.ts";
import type { Column } from "../../kit/output/table.ts";
import { isRecord } from "./probe.ts";

/** What the service's program says of the changes that a database lacks. */
interface MigrationRun {
	readonly object: "migration";
	readonly migrated: boolean;
	/** The changes of this release that it lacked. */
	readonly missing: readonly string[];
	/** The changes of a newer release, beside which this one works. */
	readonly later: readonly string[];
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<MigrationRun>[] = [
	{ name: "migrated", value: ({ migrated }) => migrated },
	{ name: "missing", value: ({ missing }) => missing.join(",") },
	{ name: "later", value: ({ later }) => later.join(",") },
];

export const migrate = defineCommand({
	summary: "Bring the database to this release, before processes of it start beside those of the last one",
	notes:
		"For several processes on one database server: run it with the new release, then replace the processes one by one; those of the\n" +
		"last release go on, and may be restarted. A start does the same by itself. Of a database file the service is stopped. Runs the\n" +
		"service's own program with the environment of this command. --dry-run only looks.",
	examples: ["svc server migrate --dry-run", "svc server migrate"],
	args: {},
	async run(_given, context): Promise<ExitCode> {
		const { globals, out } = context;
		const run = await ask(context, globals.dryRun ? ["--dry-run"] : []);
		await out.record(COLUMNS, run);
		if (!out.isJson && run.missing.length === 0) await out.note("It lacked nothing.");
		return EXIT.ok;
	},
});

/** @throws LocalError with what the service's program said */
async function ask({ process }: Context, words: readonly string[]): Promise<MigrationRun> {
	const { exit, out, err } = await process.service.run(["migrate", ...words], process.signal);
	if (exit !== 0)
		throw new LocalError(
			err.trim().split("\n").at(-1) ?? "",
			"Look at SVC_DATA_DIR and SVC_DATABASE_URL.",
			EXIT.conflict,
		);
	const said: unknown = JSON.parse(out);
	if (!isRun(said)) throw new LocalError("The service's program is of another version.", "Use the svc beside it.");
	return said;
}

function isRun(value: unknown): value is MigrationRun {
	return isRecord(value) && value.object === "migration" && Array.isArray(value.missing) && Array.isArray(value.later);
}
