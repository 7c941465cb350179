import { LocalError } from "@svc/base/processes/exit";
import { WEBHOOK } from "@svc/nouns/webhook";
import { HANDOVER_ARGS, HANDOVER_NOTE, openHandover } from "../../handover/handover.ts";
import { defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";

import { checkDuration } from "../../kit/line/times.ts";
import { advising } from "../../kit/refusal.ts";
import { ENDPOINT_ADVICE } from "./columns.ts";

const OVERLAP = { minSeconds: 0, maxSeconds: 7 * 86_400, takes: "a time from 0 to 7d, such as 1h" };

export const rotate = defineCommand({
	summary: "Make a new secret for a webhook endpoint; it is shown this once",
	notes: `For a day, or as long as --old-expires-in says, the old secret signs as well. Two sign at the most: the one before them ends.\n${HANDOVER_NOTE}.`,
	examples: [
		"svc webhooks rotate whe_1 --field secret",
		"svc webhooks rotate whe_1 --old-expires-in 1h --exec 'vault kv put app/svc hook=-'",
	],
	args: {
		id: takes.id("Endpoint id"),
		"old-expires-in": takes.text("How long the old one signs, 0 to 7d", "1h"),
		...HANDOVER_ARGS,
	},
	async run({ args }, context) {
		const { id } = args;
		const oldExpiresIn = checkDuration("--old-expires-in", args["old-expires-in"], OVERLAP);
		const app = await context.app();
		const handover = await openHandover(args, WEBHOOK.detail, context);
		try {
			// Without the signal: after an interruption it would not be known which secrets sign.
			const made = await advising(ENDPOINT_ADVICE, () => app.webhooks.rotate(id, oldExpiresIn));
			await handover.give(made).catch((error: unknown) => {
				throw lost(id, oldExpiresIn, error);
			});
			await handover.show(made);
		} catch (error) {
			await handover.discard().catch(() => undefined);
			throw error;
		}
	},
});

/** The endpoint stays, unlike a new one: removing it would lose its deliveries. Only another secret helps. */
function lost(id: string, oldExpiresIn: string | undefined, error: unknown): LocalError {
	const reason = error instanceof Error ? error.message : String(error);
	const old = oldExpiresIn === undefined ? "The old one signs for a day" : `The old one signs for ${oldExpiresIn}`;
	return new LocalError(
		`${reason} Nobody has the new secret of ${id}. ${old}, but no longer once it is rotated again.`,
		`svc webhooks rotate ${id} --field secret, and give the receiver that one at once.`,
	);
}
