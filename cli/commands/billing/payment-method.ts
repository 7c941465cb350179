import { advising } from "../../advice.ts";
import { showPlan } from "../../dry-run.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { openAddress } from "../../open-address.ts";
import { teamOf } from "../../team.ts";
import { BILLING_ADVICE, PAYMENT_METHOD_COLUMNS } from "./columns.ts";

export const paymentMethod = defineLeaf({
	summary: "Change how an App's own plan is paid",
	notes: "Prints the address where the payment details are entered.",
	examples: ["svc billing payment-method", "svc billing payment-method --open"],
	args: { open: { type: "boolean", description: "Open the address in the browser" } },
	async run({ args }, context) {
		const { globals, out, world } = context;
		const { app, path } = await teamOf(context);
		if (globals.dryRun) return showPlan(out, [{ method: "POST", path: path("billing", "payment_method") }]);
		const page = await advising(BILLING_ADVICE, () => app.billing.changePaymentMethod({ signal: world.signal }));
		await out.record(PAYMENT_METHOD_COLUMNS, page);
		if (args.open) await openAddress(context, page.url);
		return EXIT.ok;
	},
});
