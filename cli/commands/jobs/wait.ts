import { followJob } from "../../follow-job.ts";
import { defineLeaf } from "../../leaf.ts";
import { readId } from "../../team.ts";

export const wait = defineLeaf({
	summary: "Wait until a job has ended",
	notes: "Exit 1 when it failed. Ctrl-C stops the waiting, not the job.",
	examples: ["svc jobs wait job_1", "svc jobs wait job_1 --field result"],
	args: { id: { type: "positional", required: true, description: "Job id" } },
	async run({ args }, context) {
		const { jobs } = await context.management();
		return followJob(context, await jobs.get(readId(args.id), { signal: context.world.signal }), false);
	},
});
