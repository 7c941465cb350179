import type { BlockReason } from "@svc/sdk/management-types";
import type { OperatedApp } from "@svc/sdk/operator-types";
import { type Advice, advising } from "../../advice.ts";
import { confirm } from "../../confirm.ts";
import { type PlannedCall, showPlan } from "../../dry-run.ts";
import { EXIT, type ExitCode, UsageError } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { didYouMean } from "../../suggest.ts";
import { pathTo, readId } from "../../team.ts";
import { APP_ID } from "./change.ts";
import { OPERATED_COLUMNS } from "./columns.ts";

const REASONS: readonly BlockReason[] = ["content_policy", "dmca", "spam", "terms"];

const ADVICE: Advice = {
	not_found: "See all Apps: svc api GET /v1/operator/apps",
	forbidden: "Blocking is for operators, who have confirmed a code lately or use a token. See: svc whoami",
};

const note = { type: "string", valueHint: "text", description: "Other operators read it" } as const;

/** @throws UsageError */
function readReason(word: string | undefined): BlockReason {
	if (word === undefined) throw new UsageError(`--reason is missing: ${REASONS.join(", ")}.`);
	if (REASONS.includes(word)) return word;
	throw new UsageError(`--reason takes ${REASONS.join(", ")}; not "${word}".${didYouMean(word, REASONS)}`);
}

async function operate(context: Context, call: PlannedCall, send: () => Promise<OperatedApp>): Promise<ExitCode> {
	if (context.globals.dryRun) return showPlan(context.out, [call]);
	await context.out.record(OPERATED_COLUMNS, await advising(ADVICE, send));
	return EXIT.ok;
}

export const block = defineLeaf({
	summary: "Stop an App, whoever runs it (operator)",
	notes:
		"Its App-wide keys are refused, its storage can only be read, and its Owner and Admins get a mail. Asks first.",
	examples: ["svc apps block app_1 --reason spam --yes", "svc apps block app_1 --reason dmca --note 'Case 12' --yes"],
	args: {
		...APP_ID,
		reason: { type: "string", valueHint: REASONS.join("|"), description: "Why; its Owner and Admins learn it" },
		note,
	},
	async run({ args }, context) {
		const id = readId(args.id);
		const reason = readReason(args.reason);
		if (!context.globals.dryRun) await confirm(context, `Block ${id} for ${reason}? Its team gets a mail at once.`);
		const { operator } = await context.management();
		const { signal } = context.world;
		const call = { method: "POST", path: pathTo("operator", "apps", id, "block"), body: { reason, note: args.note } };
		return operate(context, call, () => operator.apps.block(id, reason, args.note, { signal }));
	},
});

export const unblock = defineLeaf({
	summary: "Let a blocked App go on (operator)",
	examples: ["svc apps unblock app_1", "svc apps unblock app_1 --note 'Settled'"],
	args: { ...APP_ID, note },
	async run({ args }, context) {
		const id = readId(args.id);
		const { operator } = await context.management();
		const { signal } = context.world;
		const call = { method: "POST", path: pathTo("operator", "apps", id, "unblock"), body: { note: args.note } };
		return operate(context, call, () => operator.apps.unblock(id, args.note, { signal }));
	},
});
