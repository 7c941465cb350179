import { EXIT, type ExitCode } from "@svc/base/processes/exit";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import type { Column } from "../../kit/output/table.ts";
import { askProgram } from "./own-program.ts";

/** What the service's program says of the payment processor that a database knows. */
interface Forgotten {
	readonly object: "forgotten_processor";
	readonly forgotten: boolean;
	readonly processor: { readonly name: string; readonly account: string | null; readonly mode: string | null } | null;
	readonly subscriptions: number;
}

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const COLUMNS: readonly Column<Forgotten>[] = [
	{ name: "forgotten", value: ({ forgotten }) => forgotten },
	{ name: "processor", value: ({ processor }) => processor?.name ?? null },
	{ name: "account", value: ({ processor }) => processor?.account ?? null },
	{ name: "mode", value: ({ processor }) => processor?.mode ?? null },
	{ name: "subscriptions", value: ({ subscriptions }) => subscriptions },
];

export const forgetProcessor = defineCommand({
	summary: "End the subscriptions of a payment processor that is not used any more; the service is stopped",
	notes:
		"For a start that is refused because the database's subscriptions are those of another payment processor, or of another\n" +
		"account or mode of it. Runs the service's own program with the environment of this command. The subscriptions end on our side\n" +
		"only: there nothing is cancelled, and nothing is paid back. --dry-run only looks.",
	examples: ["svc server forget-processor --dry-run", "svc server forget-processor --yes"],
	args: {},
	async run(_given, context): Promise<ExitCode> {
		const { globals, out } = context;
		const found = await ask(context, []);
		if (!found.processor || globals.dryRun) {
			await out.record(COLUMNS, found);
			if (!out.isJson) await out.note(found.processor ? "Nothing was changed." : "There is none to forget.");
			return EXIT.ok;
		}
		const { name } = found.processor;
		await confirm(context, `End ${found.subscriptions} subscriptions of ${name} on our side, and forget it?`);
		await out.record(COLUMNS, await ask(context, ["--yes"]));
		return EXIT.ok;
	},
});

function ask(context: Context, words: readonly string[]): Promise<Forgotten> {
	return askProgram(context, ["forget-processor", ...words], {
		object: "forgotten_processor",
		isOne: ({ subscriptions }) => typeof subscriptions === "number",
	});
}
