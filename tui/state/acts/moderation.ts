import type { ModerationItem, ModerationVerb } from "@svc/sdk/shapes";
import { listOf, selectedOf, targetsOf } from "../lists/list.ts";
import { BATCH_LIMIT, REASON_KEYS, REASON_RANGE, type State, type Step, say, stay } from "../model.ts";
import type { Overlay } from "../overlays/overlay.ts";
import type { Action } from "./action.ts";
import { change } from "./changes.ts";

type Moderate = Extract<Action, { kind: "moderate" }>;

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

export function lock(state: State): Step {
	return moderate(state, "lock");
}

function moderate(state: State, verb: ModerationVerb): Step {
	return withTargets(state, verb, (act) => change(state, act));
}

/** Runs with those of the chosen images that the verb would change. */
function withTargets(state: State, verb: ModerationVerb, run: (act: Moderate) => Step): Step {
	const chosen = itemsOf(state);
	const fitting = chosen.filter(APPLIES[verb]).slice(0, BATCH_LIMIT);
	if (chosen.length === 0) return stay(say(state, "warn", "No image is chosen."));
	if (fitting.length === 0) return stay(say(state, "warn", `Nothing to do: ${verb} changes none of them.`));
	const targets = fitting.map(({ id, revision }) => ({ id, revision, reason: undefined }));
	return run({ kind: "moderate", verb, targets, isUndo: false });
}

function itemsOf(state: State): readonly ModerationItem[] {
	return targetsOf(listOf(state)).filter((thing) => thing.object === "moderation_item");
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
	return withTargets(state, "block", (act) =>
		stay({ ...state, overlay: { kind: "reason", of: act }, notice: undefined }),
	);
}

/** The key after `b`; a key that stands for no reason changes nothing. */
export function blockFor(state: State, { of }: Extract<Overlay, { kind: "reason" }>, key: string): Step {
	const reason = REASON_KEYS.find((known) => known.key === key)?.reason;
	const closed = { ...state, overlay: undefined };
	if (reason === undefined) return stay(say(closed, "warn", `Not blocked: the reason is ${REASON_RANGE}.`));
	if (of.kind === "app") return change(closed, { ...of, verb: "block", reason });
	return change(closed, { ...of, targets: of.targets.map((target) => ({ ...target, reason })) });
}

export function reveal(state: State): Step {
	const id = selectedOf(listOf(state))?.id;
	if (id === undefined) return stay(state);
	const revealed = new Set(state.revealed);
	if (!revealed.delete(id)) revealed.add(id);
	return stay({ ...state, revealed });
}
