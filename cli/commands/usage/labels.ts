import type { LabelCount } from "@svc/sdk/management-types";
import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";
import { teamOf } from "../../team.ts";

const COLUMNS: readonly Column<LabelCount>[] = [
	{ name: "key", value: (label) => label.key },
	{ name: "value", value: (label) => label.value },
	{ name: "count", value: (label) => label.count },
];

export const labels = defineLeaf({
	summary: "List the labels of an App's own images",
	notes: "At most 1,000 of them. Images by label: svc images list --label key=value",
	examples: ["svc labels", "svc labels --prefix al"],
	args: { prefix: { type: "string", valueHint: "text", description: "Only keys that begin so" } },
	async run({ args }, context) {
		const { out, world } = context;
		const { app } = await teamOf(context);
		const found = await advising({ not_found: "See your Apps: svc apps list" }, () =>
			app.labels(args.prefix, { signal: world.signal }),
		);
		await out.rows(COLUMNS, found.data);
		if (found.truncated) await out.note("There are more: narrow them down with --prefix.");
		return EXIT.ok;
	},
});
