import { defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { saveStream } from "../../kit/output/save-stream.ts";
import { fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { FILTER_ARGS, readFilter } from "../images/list.ts";

const ADVICE = { validation_error: "At most 5,000 pictures and 10 GB go into one file: narrow the filter." };

const FILE = fields("file");
const SAVED = fields("file", "bytes");

export const zip = defineCommand({
	summary: "Save the images that fit a filter, as they are stored, in one ZIP file",
	notes:
		"At most 5,000 of them and 10 GB. The file is made while it is read, so one that breaks off cannot be taken up again: nothing is left of it. Needs who is signed in; --user for those of a user.",
	examples: [
		"svc images zip --to all.zip --app app_1 --force",
		"svc images zip --to summer.zip --label album=summer --created-from 2026-06-01 --force",
	],
	args: {
		...FILTER_ARGS,
		ids: takes.text("Only these", "id,id"),
		to: takes.demanded("Where to", "file"),
		force: takes.flag("Write over a file that is there"),
	},
	repeatable: ["label"],
	async run({ args, all }, context) {
		const filter = { ...readFilter(args, all("label")), ids: args.ids?.split(","), user: context.globals.user };
		if (context.globals.dryRun) return await context.out.record(FILE, { file: args.to });
		const app = await context.app();
		const copy = await advising(ADVICE, () => app.images.zip(filter, { signal: context.process.signal }));
		const bytes = await saveStream(context, args.to, copy, args.force);
		await context.out.record(SAVED, { file: args.to, bytes });
	},
});
