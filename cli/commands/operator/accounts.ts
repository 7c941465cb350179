import { advising } from "../../advice.ts";
import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { ACCOUNT_COLUMNS, OPERATOR_ADVICE } from "./columns.ts";

const STATUSES = ["active", "disabled", "deleting"];

export const accounts = defineLeaf({
	summary: "List the accounts of the whole service",
	notes: "A pipe gets: id, email, status, operator, created_at.",
	examples: ["svc operator accounts", "svc operator accounts --email ann@ --status active"],
	args: {
		...LIST_ARGS,
		email: { type: "string", valueHint: "text", description: "How the address begins" },
		status: { type: "string", valueHint: STATUSES.join("|"), description: "Only accounts like this" },
	},
	async run({ args }, context) {
		const filter = {
			...givenFilters({ q: args.email }),
			...readChoice("status", args.status, STATUSES),
		};
		const { operator } = await context.management();
		await advising(OPERATOR_ADVICE, () =>
			printList(context, ACCOUNT_COLUMNS, args, (page) => operator.accounts.list({ ...page, ...filter })),
		);
		return EXIT.ok;
	},
});
