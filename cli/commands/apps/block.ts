import { APP } from "@svc/nouns/app";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { shows } from "../../kit/output/shows.ts";
import type { Advice } from "../../kit/refusal.ts";
import { REASON_HINT, requireReason } from "../moderation/block-reason.ts";
import { APP_ID } from "./columns.ts";

const COLUMNS = APP.columnsOf("id", "name", "state", "block_reason", "owner", "images", "users");

const ADVICE: Advice = {
	not_found: "See all Apps: svc api GET /v1/operator/apps",
	forbidden: "Blocking is for operators, who have confirmed a code lately or use a token. See: svc whoami",
};

const note = takes.text("Other operators read it", "text");

export const block = shows({
	summary: "Stop an App, whoever runs it (operator)",
	notes:
		"Its App-wide keys are refused, its storage can only be read, and its Owner and Admins get a mail. Asks first.",
	examples: ["svc apps block app_1 --reason spam --yes", "svc apps block app_1 --reason dmca --note 'Case 12' --yes"],
	args: { ...APP_ID, reason: takes.text("Why; its Owner and Admins learn it", REASON_HINT), note },
	columns: COLUMNS,
	advice: ADVICE,
	from: "management",
	send: async ({ args: { id, reason: given, note } }, context) => {
		const reason = requireReason(given);
		await confirm(context, `Block ${id} for ${reason}? Its team gets a mail at once.`);
		return ({ operator }, options) => operator.apps.block(id, reason, note, options);
	},
});

export const unblock = shows({
	summary: "Let a blocked App go on (operator)",
	examples: ["svc apps unblock app_1", "svc apps unblock app_1 --note 'Settled'"],
	args: { ...APP_ID, note },
	columns: COLUMNS,
	advice: ADVICE,
	from: "management",
	send:
		({ args: { id, note } }) =>
		({ operator }, options) =>
			operator.apps.unblock(id, note, options),
});
