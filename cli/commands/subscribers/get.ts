import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { teamOf } from "../../team.ts";
import { SUBSCRIPTION_DETAIL } from "./columns.ts";

export const get = defineLeaf({
	summary: "Show a subscription with its invoices",
	examples: ["svc subscribers get sub_1", "svc subscribers get sub_1 --field status"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Subscription id" } },
	async run({ args }, context) {
		const { out, world } = context;
		const { subscriptions } = (await teamOf(context)).app;
		const subscription = await advising({ not_found: "See what there is: svc subscribers list" }, () =>
			subscriptions.get(args.id, { signal: world.signal }),
		);
		await out.record(SUBSCRIPTION_DETAIL, subscription);
		return EXIT.ok;
	},
});
