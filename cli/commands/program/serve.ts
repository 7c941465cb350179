import { EXIT } from "@svc/base/processes/exit";
import { defineCommand } from "../../kit/command.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { SUMMARIES } from "../summaries.ts";

interface Plan {
	readonly object: "service_program";
	readonly program: string;
}

const COLUMNS: readonly Column<Plan>[] = fields("program");

export const serve = defineCommand({
	summary: SUMMARIES.serve,
	notes:
		"It reads its environment (SVC_…) and keeps all in SVC_DATA_DIR, by default ./data. SIGTERM or Ctrl-C ends it in order. An\n" +
		"executable carries the service and unpacks it once into the user's cache folder; a checkout starts its own. --dry-run says\n" +
		"which program it is.",
	examples: ["svc serve"],
	args: {},
	async run(_given, { globals, out, process }) {
		if (globals.dryRun) {
			const plan: Plan = { object: "service_program", program: await process.service.path() };
			await out.record(COLUMNS, plan);
			return EXIT.ok;
		}
		const exit = await process.service.serve(process.signal);
		// Reached only where the service ran in a process of its own.
		if (out.isJson) await out.document({ object: "service_end", exit });
		return exit === 0 ? EXIT.ok : EXIT.failed;
	},
});
