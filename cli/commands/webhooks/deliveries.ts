import { UsageError } from "@svc/base/processes/exit";
import { DELIVERY } from "@svc/nouns/webhook";
import { WEBHOOK_DELIVERY_STATES } from "@svc/sdk/lists";
import { defineCommand } from "../../kit/command.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { lists } from "../../kit/output/lists.ts";
import { shows } from "../../kit/output/shows.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { followJob, JOB_ARGS } from "../../kit/work/follow-job.ts";
import { changeEach } from "../../kit/work/removal.ts";
import { readSince } from "../audit/audit.ts";
import { ENDPOINT_ADVICE, sendingAdvice } from "./columns.ts";

const ID = takes.id("Endpoint id");

export const test = shows({
	summary: "Send an event of the type webhook.test to a webhook endpoint",
	notes: "It is in no feed. See what was answered: svc webhooks deliveries <id>",
	examples: ["svc webhooks test whe_1", "svc webhooks test whe_1 --field event_id"],
	args: { id: ID },
	columns: DELIVERY.list,
	from: "app",
	send:
		({ args: { id } }) =>
		(app, options) =>
			advising(sendingAdvice(id), () => app.webhooks.test(id, options)),
});

export const deliveries = lists({
	summary: "List what was sent to a webhook endpoint in the last 30 days, newest first",
	notes: `${pipeNote(DELIVERY.list)} JSON has every attempt, with what the receiver answered.`,
	examples: ["svc webhooks deliveries whe_1", "svc webhooks deliveries whe_1 --state failed --all -o jsonl"],
	args: {
		id: ID,
		state: takes.choice("Only those in this state", WEBHOOK_DELIVERY_STATES),
		event: takes.text("Only those of this event", "id"),
		types: takes.text("Only those of these types of events, separated by commas: image.*, key.created", "types"),
	},
	columns: DELIVERY.list,
	advice: ENDPOINT_ADVICE,
	from: "app",
	pages: ({ args: { id, state, event, types } }) => {
		const given = givenFilters({ event_id: event, types });
		const filter = { ...readChoice("state", state, WEBHOOK_DELIVERY_STATES), ...given };
		return (app) => (page) => app.webhooks.deliveries(id).list({ ...page, ...filter });
	},
});

export const redeliver = defineCommand({
	summary: "Send deliveries of a webhook endpoint again, under the webhook-id that they had",
	notes: "JSON is an array, also for one delivery.",
	examples: ["svc webhooks redeliver whe_1 whd_1", "svc webhooks redeliver whe_1 whd_1 whd_2"],
	args: { id: ID },
	rest: { name: "delivery", description: "Delivery ids", required: true, valueHint: "id" },
	async run({ args: { id }, rest }, context) {
		const app = await context.app();
		const { signal } = context.process;
		const advice = { ...sendingAdvice(id), not_found: `See which there are: svc webhooks deliveries ${id}` };
		const { redeliver: send } = app.webhooks.deliveries(id);
		return changeEach(
			{
				items: rest,
				work: (delivery) => advising(advice, () => send(delivery, { signal })),
				columns: DELIVERY.list,
			},
			context,
		);
	},
});

export const recover = defineCommand({
	summary: "Send a webhook endpoint everything since then that was not delivered",
	notes: "Also what was missed while it was disabled. Safe to repeat. Ctrl-C stops the waiting, not the job.",
	examples: ["svc webhooks recover whe_1 --since 24h", "svc webhooks recover whe_1 --since 7d --no-wait --field id"],
	args: {
		id: ID,
		since: takes.text("ISO 8601, or 15m, 24h, 7d ago; at most 30 days", "date"),
		...JOB_ARGS,
	},
	async run({ args }, context) {
		const { id } = args;
		const { process } = context;
		const since = readSince(args.since, process.date());
		if (since === undefined) throw new UsageError("Name from when on: --since 24h");
		const app = await context.app();
		const { signal } = process;
		const job = await advising(sendingAdvice(id), () => app.webhooks.recover(id, since, { signal }));
		return followJob(context, job, args["no-wait"] === true);
	},
});
