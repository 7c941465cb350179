import type { ModerationItem, ModerationVerb } from "@svc/sdk/management-types";
import { chooseQueue } from "./answers.ts";
import { change } from "./changes.ts";
import { listOf, selectedOf, targetsOf } from "./list.ts";
import { type Act, BATCH_LIMIT, type Overlay, QUEUES, REASONS, type State, type Step, say, stay } from "./model.ts";

type Moderate = Extract<Act, { kind: "moderate" }>;

function itemsOf(state: State): readonly ModerationItem[] {
	return targetsOf(listOf(state)).filter((thing) => thing.object === "moderation_item");
}

const isBlocked = (item: ModerationItem) => item.image.status === "blocked";

/** Whether the verb would change the item. */
const APPLIES: Record<ModerationVerb, (item: ModerationItem) => boolean> = {
	lock: (item) => !item.locked,
	unlock: (item) => item.locked,
	block: (item) => !isBlocked(item),
	unblock: isBlocked,
	nsfw: (item) => !item.image.nsfw,
	not_nsfw: (item) => item.image.nsfw,
	delete: () => true,
};

/** Of what is chosen, what the verb would change. */
function withTargets(state: State, verb: ModerationVerb, run: (act: Moderate) => Step): Step {
	const chosen = itemsOf(state);
	const fitting = chosen.filter(APPLIES[verb]).slice(0, BATCH_LIMIT);
	if (chosen.length === 0) return stay(say(state, "warn", "No image is chosen."));
	if (fitting.length === 0) return stay(say(state, "warn", `Nothing to do: ${verb} changes none of them.`));
	const targets = fitting.map(({ id, revision }) => ({ id, revision, reason: undefined }));
	return run({ kind: "moderate", verb, targets, isUndo: false });
}

function moderate(state: State, verb: ModerationVerb): Step {
	return withTargets(state, verb, (act) => change(state, act));
}

export function lock(state: State): Step {
	return moderate(state, "lock");
}

/** A block is the heavier one: it goes first. */
export function release(state: State): Step {
	return moderate(state, itemsOf(state).some(isBlocked) ? "unblock" : "unlock");
}

/** Flags them all, unless all are flagged. */
export function toggleNsfw(state: State): Step {
	return moderate(state, itemsOf(state).every(({ image }) => image.nsfw) ? "not_nsfw" : "nsfw");
}

export function askReason(state: State): Step {
	return withTargets(state, "block", (act) => stay({ ...state, overlay: { kind: "reason", act }, notice: undefined }));
}

/** The key after `b`; every other key than 1 to 4 changes nothing. */
export function blockFor(state: State, { act }: Extract<Overlay, { kind: "reason" }>, key: string): Step {
	const reason = /^[1-4]$/.test(key) ? REASONS[Number(key) - 1] : undefined;
	const closed = { ...state, overlay: undefined };
	if (reason === undefined) return stay(say(closed, "warn", "Not blocked: the reason is 1 to 4."));
	if (act.kind === "app") return change(closed, { ...act, reason });
	return change(closed, { ...act, targets: act.targets.map((target) => ({ ...target, reason })) });
}

export function reveal(state: State): Step {
	const id = selectedOf(listOf(state))?.id;
	if (id === undefined) return stay(state);
	const revealed = new Set(state.revealed);
	if (!revealed.delete(id)) revealed.add(id);
	return stay({ ...state, revealed });
}

export function nextQueue(state: State): Step {
	const at = QUEUES.indexOf(state.queue);
	return chooseQueue(state, QUEUES[(at + 1) % QUEUES.length] ?? "reported");
}
