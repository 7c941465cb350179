import { advising } from "../../advice.ts";
import { readChoice } from "../../choice.ts";
import { EXIT } from "../../exit.ts";
import { givenFilters } from "../../filters.ts";
import { defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, printList } from "../../lists.ts";
import { EMAIL_COLUMNS, OPERATOR_ADVICE } from "./columns.ts";

const STATES = ["queued", "sent", "failed"] as const;

export const emails = defineLeaf({
	summary: "List what was mailed, and what waits to be",
	notes:
		"A pipe gets: id, created_at, template, recipient, state, attempts, failure. JSON has the text too; codes are in it only where mail stays inside the service.",
	examples: ["svc operator emails", "svc operator emails --state failed --all", "svc operator emails --field subject"],
	args: {
		...LIST_ARGS,
		recipient: { type: "string", valueHint: "address", description: "Only to this address" },
		template: { type: "string", valueHint: "sign_in_code", description: "Only of this kind" },
		state: { type: "string", valueHint: STATES.join("|"), description: "Only mail in this state" },
	},
	async run({ args }, context) {
		const { recipient, template } = args;
		const filter = {
			...givenFilters({ recipient, template }),
			...readChoice("state", args.state, STATES),
		};
		const { operator } = await context.management();
		await advising(OPERATOR_ADVICE, () =>
			printList(context, EMAIL_COLUMNS, args, (page) => operator.emails.list({ ...page, ...filter })),
		);
		return EXIT.ok;
	},
});
