import type { OperatedApp } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { EXIT, type ExitCode } from "../../kit/exit.ts";
import { type Advice, advising } from "../../kit/refusal.ts";
import { REASON_HINT, requireReason } from "../moderation/block-reason.ts";
import { APP_ID, OPERATED_COLUMNS } from "./columns.ts";

const ADVICE: Advice = {
	not_found: "See all Apps: svc api GET /v1/operator/apps",
	forbidden: "Blocking is for operators, who have confirmed a code lately or use a token. See: svc whoami",
};

const note = { type: "string", valueHint: "text", description: "Other operators read it" } as const;

export const block = defineCommand({
	summary: "Stop an App, whoever runs it (operator)",
	notes:
		"Its App-wide keys are refused, its storage can only be read, and its Owner and Admins get a mail. Asks first.",
	examples: ["svc apps block app_1 --reason spam --yes", "svc apps block app_1 --reason dmca --note 'Case 12' --yes"],
	args: {
		...APP_ID,
		reason: { type: "string", valueHint: REASON_HINT, description: "Why; its Owner and Admins learn it" },
		note,
	},
	async run({ args }, context) {
		const { id } = args;
		const reason = requireReason(args.reason);
		await confirm(context, `Block ${id} for ${reason}? Its team gets a mail at once.`);
		const { operator } = await context.management();
		const { signal } = context.process;
		return operate(context, () => operator.apps.block(id, reason, args.note, { signal }));
	},
});

export const unblock = defineCommand({
	summary: "Let a blocked App go on (operator)",
	examples: ["svc apps unblock app_1", "svc apps unblock app_1 --note 'Settled'"],
	args: { ...APP_ID, note },
	async run({ args }, context) {
		const { id } = args;
		const { operator } = await context.management();
		const { signal } = context.process;
		return operate(context, () => operator.apps.unblock(id, args.note, { signal }));
	},
});

async function operate(context: Context, send: () => Promise<OperatedApp>): Promise<ExitCode> {
	await context.out.record(OPERATED_COLUMNS, await advising(ADVICE, send));
	return EXIT.ok;
}
