import type { ExitCode } from "@svc/base/processes/exit";
import type { Release, Verdict } from "@svc/sdk/calls/moderation";
import type { Management } from "@svc/sdk/management";
import type { BlockReason, ModerationItem, ModerationVerb, Tombstone } from "@svc/sdk/shapes";
import type { CallOptions } from "@svc/sdk/wire/request";
import { type Command, type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { advising } from "../../kit/refusal.ts";
import { runChunks } from "../../kit/work/chunks.ts";
import { counted } from "../../kit/work/removal.ts";
import { REASON_HINT, readReason, requireReason } from "./block-reason.ts";
import { DONE_COLUMNS } from "./columns.ts";

const REASON_ARG = takes.text("Why", REASON_HINT);

const NOTE_ARG = takes.text("For other operators", "text");

const IMAGE_IDS = takes.ids("Image ids");

export const ADVICE = {
	not_found: "See what there is: svc moderation list --state all. Only operators moderate: svc whoami",
	state_conflict: "See how it is now: svc moderation get <id>",
};

export const lock = releasable("lock", {
	summary: "Keep images from being changed",
	notes: "For operators. They stay visible, and can be deleted. Undone by: svc moderation unlock",
	note: "Kept for the court",
});

export const unlock = releasable("unlock", {
	summary: "Let images be changed again",
	notes: "For operators. JSON is an array, also for one image.",
	note: "Settled",
});

export const unblock = defineCommand({
	summary: "Serve blocked images again",
	notes: "For operators. The reports that the block settled are open again. JSON is an array, also for one image.",
	examples: [
		"svc moderation unblock img_1",
		"svc moderation unblock img_1 img_2 --keep-settled --note 'Appeal granted'",
	],
	args: {
		reason: REASON_ARG,
		note: NOTE_ARG,
		"keep-settled": takes.flag("Leave the reports settled that the block settled"),
	},
	rest: IMAGE_IDS,
	run({ args, rest }, context) {
		const verdict = { reason: readReason(args.reason), note: args.note };
		const reopened = args["keep-settled"] === true ? {} : { reopen_reports: true };
		return moderate(rest, { verb: "unblock", verdict: { ...verdict, ...reopened } }, context);
	},
});

export const block = defineCommand({
	summary: "Serve images no more",
	notes: "For operators. Settles their open reports. Undone by: svc moderation unblock",
	examples: [
		"svc moderation block img_1 --reason spam",
		"svc moderation block img_1 img_2 --reason dmca --note 'Notice 4711'",
	],
	args: { reason: REASON_ARG, note: NOTE_ARG },
	rest: IMAGE_IDS,
	async run({ args, rest }, context) {
		const reason = requireReason(args.reason);
		return moderate(rest, { verb: "block", verdict: { reason, note: args.note } }, context);
	},
});

export const nsfw = defineCommand({
	summary: "Say whether images are not safe for work",
	notes: "For operators. JSON is an array, also for one image.",
	examples: ["svc moderation nsfw on img_1", "svc moderation nsfw off img_1 img_2"],
	args: {
		state: takes.word("on or off", "on|off"),
		note: NOTE_ARG,
	},
	rest: IMAGE_IDS,
	async run({ args, rest }, context) {
		const verb = oneOf("<state>", args.state, ["on", "off"]) === "on" ? "nsfw" : "not_nsfw";
		return moderate(rest, { verb, verdict: { note: args.note } }, context);
	},
});

export const deleteModerated = defineCommand({
	summary: "Delete anybody's images for good",
	notes: "For operators. Asks first, unless --yes is given. Their history stays; their open reports are settled.",
	examples: ["svc moderation delete img_1 --yes", "svc moderation delete img_1 img_2 --yes"],
	args: {},
	rest: IMAGE_IDS,
	run({ rest }, context) {
		const before = (ids: readonly string[]) =>
			confirm(context, `Delete ${counted("image", ids)} for good, from whomever they are?`);
		return moderate(rest, { verb: "delete", verdict: {}, before }, context);
	},
});

/** A block always has a reason: the owner of the image learns it. */
type Action = (
	| { readonly verb: "block"; readonly verdict: Verdict & { readonly reason: BlockReason } }
	| { readonly verb: Exclude<ModerationVerb, "block">; readonly verdict: Verdict & Pick<Release, "reopen_reports"> }
) & {
	/** Asked before anything is sent. */
	before?(ids: readonly string[]): Promise<void>;
};

/** Does one thing to one image, or to many by batch calls; to each once, however often it is named. */
async function moderate(named: readonly string[], action: Action, context: Context): Promise<ExitCode> {
	const { verb, verdict } = action;
	const ids = [...new Set(named)];
	const [first = ""] = ids;
	await action.before?.(ids);
	const { moderation } = await context.management();
	return advising(ADVICE, () =>
		runChunks<ModerationItem | Tombstone>(
			{
				ids,
				columns: DONE_COLUMNS,
				done: "moderated",
				send: async (chunk, options) =>
					ids.length === 1
						? { object: "batch_result", data: [await actOnOne(moderation, first, action, options)], errors: [] }
						: moderation.batch(chunk, verb, verdict, options),
			},
			context,
		),
	);
}

async function actOnOne(
	moderation: Management["moderation"],
	id: string,
	{ verb, verdict }: Action,
	options: CallOptions,
): Promise<ModerationItem | Tombstone> {
	switch (verb) {
		case "delete":
			return await moderation.delete(id, options);
		case "nsfw":
		case "not_nsfw":
			return await moderation.setNsfw(id, verb === "nsfw", { note: verdict.note }, options);
		case "block":
			return await moderation.block(id, verdict, options);
		default:
			return await moderation[verb](id, verdict, options);
	}
}

/** The verbs that can be undone, and may have a reason. */
function releasable(
	verb: "lock" | "unlock",
	{ summary, notes, note }: { readonly summary: string; readonly notes: string; readonly note: string },
): Command {
	return defineCommand({
		summary,
		notes,
		examples: [`svc moderation ${verb} img_1`, `svc moderation ${verb} img_1 img_2 --note '${note}'`],
		args: { reason: REASON_ARG, note: NOTE_ARG },
		rest: IMAGE_IDS,
		run({ args, rest }, context) {
			const verdict = { reason: readReason(args.reason), note: args.note };
			return moderate(rest, { verb, verdict }, context);
		},
	});
}
