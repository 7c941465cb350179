import type { Management } from "@svc/sdk/management";
import type { ModerationItem, ModerationVerb } from "@svc/sdk/management-types";
import type { Verdict } from "@svc/sdk/moderation";
import type { CallOptions } from "@svc/sdk/request";
import type { Tombstone } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { REASON_HINT } from "../../block-reason.ts";
import { chunksOf, runChunks } from "../../chunks.ts";
import { type PlannedCall, showPlan } from "../../dry-run.ts";
import type { ExitCode } from "../../exit.ts";
import type { Context } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { DONE_COLUMNS } from "./columns.ts";

export const REASON_ARG = {
	type: "string",
	valueHint: REASON_HINT,
	description: "Why",
} as const;

export const NOTE_ARG = { type: "string", valueHint: "text", description: "For other operators" } as const;

export const ADVICE = {
	not_found: "See what there is: svc moderation queue --state all. Only operators moderate: svc whoami",
	state_conflict: "See how it is now: svc moderation show <id>",
};

/** By what moderation does, the call that does it to one image. */
function singleCall(id: string, verb: ModerationVerb, verdict: Verdict): PlannedCall {
	const path = pathTo("moderation", "images", id);
	if (verb === "delete") return { method: "DELETE", path };
	if (verb === "nsfw" || verb === "not_nsfw") {
		return { method: "PATCH", path, body: { note: verdict.note, nsfw: verb === "nsfw" } };
	}
	return { method: "POST", path: `${path}/${verb}`, body: verdict };
}

async function actOnOne(
	moderation: Management["moderation"],
	id: string,
	{ verb, verdict }: Pick<Acting, "verb" | "verdict">,
	options: CallOptions,
): Promise<ModerationItem | Tombstone> {
	const { note } = verdict;
	switch (verb) {
		case "delete":
			return await moderation.delete(id, options);
		case "nsfw":
		case "not_nsfw":
			return await moderation.setNsfw(id, verb === "nsfw", { note }, options);
		case "block":
			return await moderation.block(id, { ...verdict, reason: verdict.reason ?? "" }, options);
		default:
			return await moderation[verb](id, verdict, options);
	}
}

export interface Acting {
	/** Each is acted on once, however often it is named. */
	readonly ids: readonly string[];
	readonly verb: ModerationVerb;
	readonly verdict: Verdict;
	/** Comes before anything is sent, but not before a plan is shown. */
	before?(ids: readonly string[]): Promise<void>;
}

/** Does one thing to one image, or to many by batch calls. */
export async function moderate({ ids: named, verb, verdict, before }: Acting, context: Context): Promise<ExitCode> {
	const ids = [...new Set(named)];
	const [first = ""] = ids;
	if (context.globals.dryRun) {
		const batch = (chunk: readonly string[]): PlannedCall => {
			return { method: "POST", path: "/v1/moderation/batch", body: { ...verdict, ids: chunk, action: verb } };
		};
		return showPlan(context.out, ids.length === 1 ? [singleCall(first, verb, verdict)] : chunksOf(ids).map(batch));
	}
	await before?.(ids);
	const { moderation } = await context.management();
	return advising(ADVICE, () =>
		runChunks<ModerationItem | Tombstone>(
			{
				ids,
				columns: DONE_COLUMNS,
				done: "moderated",
				send: async (chunk, options) =>
					ids.length === 1
						? {
								object: "batch_result",
								data: [await actOnOne(moderation, first, { verb, verdict }, options)],
								errors: [],
							}
						: moderation.batch(chunk, verb, verdict, options),
			},
			context,
		),
	);
}
