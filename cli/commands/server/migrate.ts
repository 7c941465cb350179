import { type Context, defineCommand } from "../../kit/command.ts";
import type { Column } from "../../kit/output/table.ts";
import { askProgram } from "./own-program.ts";

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
	async run(_given, context) {
		const { globals, out } = context;
		const run = await ask(context, globals.dryRun ? ["--dry-run"] : []);
		await out.record(COLUMNS, run);
		if (!out.isJson && run.missing.length === 0) await out.note("It lacked nothing.");
	},
});

function ask(context: Context, words: readonly string[]): Promise<MigrationRun> {
	return askProgram(context, ["migrate", ...words], {
		object: "migration",
		isOne: ({ missing, later }) => Array.isArray(missing) && Array.isArray(later),
		next: "Look at SVC_DATA_DIR and SVC_DATABASE_URL.",
	});
}
