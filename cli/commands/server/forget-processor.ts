import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { EXIT, type ExitCode, LocalError } from "../../kit/exit.ts";
import type { Column } from "../../kit/output/table.ts";
import { isRecord } from "./probe.ts";

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

/** @throws LocalError with what the service's program said */
async function ask({ process }: Context, words: readonly string[]): Promise<Forgotten> {
	const { exit, out, err } = await process.service.run(["forget-processor", ...words], process.signal);
	if (exit !== 0) throw new LocalError(err.trim().split("\n").at(-1) ?? "", "Stop the service first.", EXIT.conflict);
	const said: unknown = JSON.parse(out);
	if (!isForgotten(said))
		throw new LocalError("The service's program is of another version.", "Use the svc beside it.");
	return said;
}

function isForgotten(value: unknown): value is Forgotten {
	return isRecord(value) && value.object === "forgotten_processor" && typeof value.subscriptions === "number";
}
