import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { teamOf } from "../../team.ts";
import { INVOICE_COLUMNS } from "../subscribers/columns.ts";
import { BILLING_ADVICE } from "./columns.ts";

export const invoices = defineLeaf({
	summary: "List what an App paid for its own plan",
	notes: "A pipe gets: id, created_at, status, due, paid, refunded.",
	examples: ["svc billing invoices", "svc billing invoices --all -o jsonl"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { billing } = (await teamOf(context)).app;
		await advising(BILLING_ADVICE, () =>
			printList(context, INVOICE_COLUMNS, args, (page) => billing.invoices.list(page)),
		);
		return EXIT.ok;
	},
});
