import type { AppBilling } from "@svc/sdk/billing-types";
import { advising } from "../../advice.ts";
import { confirm } from "../../confirm.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { openAddress } from "../../open-address.ts";
import { teamOf } from "../../team.ts";
import { BILLING_ADVICE, CHECKOUT_COLUMNS } from "./columns.ts";

/** A first plan is paid for at the address that comes back; another one is charged to the card that is known. */
async function confirmMove({ status, plan: now }: AppBilling, plan: string, context: Context): Promise<void> {
	if (status === "inactive") return;
	await confirm(context, `Move from ${now} to ${plan}? A dearer plan is charged at once.`);
}

export const checkout = defineLeaf({
	summary: "Start an App's own plan, or move to another one",
	notes: "Prints the address to pay at, where there is something to pay. Asks first where a plan is paid for already.",
	examples: ["svc billing checkout pro", "svc billing checkout unlimited --open --yes"],
	args: {
		plan: { type: "positional", required: true, description: "pro or unlimited; back to free: svc billing cancel" },
		open: { type: "boolean", description: "Open the address in the browser" },
	},
	async run({ args }, context) {
		const { globals, out, world } = context;
		const { app, path } = await teamOf(context);
		if (globals.dryRun) {
			return showPlan(out, [{ method: "POST", path: path("billing", "checkout"), body: { plan: args.plan } }]);
		}
		const { billing } = app;
		const options = { signal: world.signal };
		await advising(BILLING_ADVICE, async () => {
			await confirmMove(await billing.get(options), args.plan, context);
			const made = await billing.checkout(args.plan, options);
			await out.record(CHECKOUT_COLUMNS, made);
			if (args.open && made.url !== null) await openAddress(context, made.url);
		});
		return EXIT.ok;
	},
});
