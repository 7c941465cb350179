import { followJob } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";

export const wait = defineLeaf({
	summary: "Wait until a job has ended",
	notes: "Exit 1 when it failed. Ctrl-C stops the waiting, not the job.",
	examples: ["svc jobs wait job_1", "svc jobs wait job_1 --field result"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Job id" } },
	async run({ args }, context) {
		const { jobs } = await context.management();
		return followJob(context, await jobs.get(args.id, { signal: context.world.signal }), false);
	},
});
