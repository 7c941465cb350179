import type { Job } from "@svc/sdk/management-types";
import { EXIT } from "../../exit.ts";
import { JOB_COLUMNS } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";
import type { Column } from "../../table.ts";

const DETAILS: readonly Column<Job>[] = [...JOB_COLUMNS, { name: "result", value: (job) => job.result }];

export const get = defineLeaf({
	summary: "Show one job: whoever started it can, and operators",
	examples: ["svc jobs get job_1", "svc jobs get job_1 --field state"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Job id" } },
	async run({ args }, { management, out, world }) {
		const job = await (await management()).jobs.get(args.id, { signal: world.signal });
		await out.record(DETAILS, job);
		return EXIT.ok;
	},
});
