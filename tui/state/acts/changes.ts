import type { ModerationItem, ModerationVerb, WebhookEndpoint } from "@svc/sdk/shapes";
import { withList, withThings } from "../lists/list.ts";
import {
	BATCH_LIMIT,
	type Change,
	type Event,
	type List,
	type State,
	type Step,
	say,
	stay,
	type Undo,
} from "../model.ts";
import type { Thing } from "../things.ts";
import type { Action } from "./action.ts";
import { doneText } from "./done.ts";

/* A change is shown at once and taken back where the service refuses it. */

type Acted = Extract<Event, { type: "acted" }>;
type Moderate = Extract<Action, { kind: "moderate" }>;

const OPPOSITE: Partial<Record<ModerationVerb, ModerationVerb>> = {
	lock: "unlock",
	unlock: "lock",
	block: "unblock",
	unblock: "block",
	nsfw: "not_nsfw",
	not_nsfw: "nsfw",
};

const APP_STATES = { pause: "paused", resume: "active", block: "blocked", unblock: "active" } as const;

const ENDPOINT_STATES: Partial<Record<string, WebhookEndpoint["state"]>> = { enable: "enabled", disable: "disabled" };

/** Ids of the things that an action is about; for a thing that is still to be made, its name. */
export function idsOf(act: Action): readonly string[] {
	if (act.kind === "moderate") return act.targets.map(({ id }) => id);
	if ("ids" in act) return act.ids;
	return [act.verb === "create" ? act.name : act.id];
}

/** Shows the change and sends it. */
export function change(state: State, act: Action): Step {
	const ids = new Set(idsOf(act));
	const seq = state.seq + 1;
	const before = new Map<string, { was: Thing; shown: Thing }>();
	const next = withList(state, (list) =>
		replaced(withoutNews(list), (thing) => {
			if (!ids.has(thing.id)) return thing;
			const shown = foreseen(thing, act);
			before.set(thing.id, { was: thing, shown });
			return shown;
		}),
	);
	const changes = [...state.changes, { seq, screen: state.screen, act, before }];
	return stay({ ...next, seq, changes, notice: undefined }, { type: "act", seq, act });
}

/** What was asked for before the change would show the thing as it was. */
function withoutNews(list: List): List {
	return list.pending?.kind === "news" ? { ...list, pending: undefined } : list;
}

function replaced(list: List, by: (thing: Thing) => Thing): List {
	return withThings(list, list.things.map(by));
}

function foreseen(thing: Thing, act: Action): Thing {
	if (act.kind === "moderate" && thing.object === "moderation_item") {
		const reason = act.targets.find(({ id }) => id === thing.id)?.reason ?? null;
		return moderated(thing, act.verb, reason);
	}
	if (act.kind === "app" && thing.object === "app") {
		return { ...thing, state: APP_STATES[act.verb] };
	}
	if (act.kind === "webhook" && thing.object === "webhook_endpoint") {
		return { ...thing, state: ENDPOINT_STATES[act.verb] ?? thing.state };
	}
	return thing;
}

/** The item as it will be if the service agrees. */
function moderated(
	item: ModerationItem,
	verb: ModerationVerb,
	reason: ModerationItem["blocked_reason"],
): ModerationItem {
	switch (verb) {
		case "lock":
		case "unlock":
			return { ...item, locked: verb === "lock" };
		case "block":
			return { ...item, blocked_reason: reason, image: { ...item.image, status: "blocked" } };
		case "unblock":
			return { ...item, blocked_reason: null, image: { ...item.image, status: "ready" } };
		case "nsfw":
		case "not_nsfw":
			return { ...item, image: { ...item.image, nsfw: verb === "nsfw" } };
		case "delete":
			return item;
	}
}

export function tookAnswer(state: State, event: Acted): Step {
	const done = state.changes.find(({ seq }) => seq === event.seq);
	if (done === undefined) return stay(state);
	const undo = undoOf(done, event);
	const next: State = {
		...withList(state, (list) => answeredList(list, done, event), done.screen),
		changes: state.changes.filter((one) => one !== done),
		undos: undo === undefined ? state.undos : [...state.undos, undo],
		deletions: deletionsAfter(state.deletions, done.act, event),
		overlay: event.secret === undefined ? state.overlay : { kind: "secret", secret: event.secret },
	};
	return stay(withOutcome(remarked(next, done, event), done, event, undo !== undefined));
}

/** How to take back what was done; undefined where nothing was, or where it cannot be. */
function undoOf({ act, before }: Change, event: Acted): Undo | undefined {
	if (act.kind !== "moderate") return undefined;
	if (act.isUndo) return undoLeft(act, event);
	const verb = OPPOSITE[act.verb];
	const failed = new Set(event.failures.map(({ id }) => id));
	const targets = event.things.flatMap((thing) => {
		if (thing.object !== "moderation_item" || failed.has(thing.id)) return [];
		const was = before.get(thing.id)?.was;
		const reason = was?.object === "moderation_item" ? (was.blocked_reason ?? undefined) : undefined;
		// The owner of an image learns the reason for its block, so a reason is not made up: this image stays unblocked.
		if (verb === "block" && reason === undefined) return [];
		return [{ id: thing.id, revision: thing.revision, reason }];
	});
	return verb === undefined || targets.length === 0 ? undefined : { verb, targets };
}

/** What was deleted can be brought back, the last first. */
function deletionsAfter(deletions: State["deletions"], act: Action, { gone }: Acted): State["deletions"] {
	if (act.kind !== "images" || act.verb !== "delete" || gone.length === 0) return deletions;
	return [...deletions, { app: act.app, user: act.user, ids: gone }];
}

/** The rest of an undo for which the service could not be asked; an image that another person changed is left alone. */
function undoLeft({ verb, targets }: Moderate, event: Acted): Undo | undefined {
	const known = new Set(event.things.map(({ id }) => id));
	const left = targets.filter(({ id }) => !known.has(id) && event.failures.some((failure) => failure.id === id));
	return left.length === 0 ? undefined : { verb, targets: left };
}

function answeredList(list: List, done: Change, event: Acted): List {
	const failed = new Set(event.failures.map(({ id }) => id));
	const gone = new Set(event.gone);
	const kept = list.things.filter(({ id }) => !gone.has(id)).map((thing) => answeredThing(thing, done, event));
	const answered = idsOf(done.act).filter((id) => !failed.has(id));
	const marked = new Set(list.marked);
	for (const id of answered) marked.delete(id);
	return withThings({ ...list, marked }, [...madeBy(list, done, event), ...kept]);
}

/** The answers where there are some; what failed as it was, unless something newer stands there. */
function answeredThing(thing: Thing, { before }: Change, event: Acted): Thing {
	const answer = event.things.find(({ id }) => id === thing.id);
	// An operator's list of Apps says more of them than the answer to a change.
	if (answer !== undefined) return { ...thing, ...answer };
	const known = before.get(thing.id);
	const hasFailed = event.failures.some(({ id }) => id === thing.id);
	return hasFailed && known !== undefined && known.shown === thing ? known.was : thing;
}

function withOutcome(state: State, done: Change, event: Acted, canUndo: boolean): State {
	const count = idsOf(done.act).length - event.failures.length;
	const [failure] = event.failures;
	if (failure !== undefined) {
		const rest = event.failures.length > 1 ? ` (and ${event.failures.length - 1} more; they stay marked)` : "";
		return say(state, "danger", `${failure.message}${rest}`);
	}
	return say(state, "good", doneText(done, count, canUndo) + leftText(state, done));
}

/** One call takes no more than a hundred: what is left is never left without a word. */
function leftText({ lists }: State, { act, screen }: Change): string {
	const left = lists[screen].marked.size;
	return left > 0 && idsOf(act).length === BATCH_LIMIT ? ` ${left} are still marked: the same key goes on.` : "";
}

/** Failures of several stay marked, whether they were marked or not: they are what is left to do. */
function remarked(state: State, { act, screen }: Change, event: Acted): State {
	if (idsOf(act).length < 2) return state;
	const failed = event.failures.map(({ id }) => id);
	return withList(state, (list) => ({ ...list, marked: new Set([...list.marked, ...failed]) }), screen);
}

/** Takes the last moderation back, if the images have not changed since. */
export function undoLast(state: State): Step {
	const last = state.undos.at(-1);
	if (state.changes.length > 0) return stay(say(state, "warn", "Still under way; press z again when it is done."));
	if (last === undefined) return stay(say(state, "warn", "There is nothing to take back."));
	const undos = state.undos.slice(0, -1);
	const act: Moderate = { kind: "moderate", verb: last.verb, targets: last.targets, isUndo: true };
	return change({ ...state, undos }, act);
}

/** Things that are new, newest first as the list is; a delivery stands among the deliveries only. */
function madeBy({ things }: List, { act, screen }: Change, event: Acted): readonly Thing[] {
	const known = new Set(things.map(({ id }) => id));
	// What is taken back may have left the list meanwhile.
	const isBack = (act.kind === "moderate" && act.isUndo) || (act.kind === "images" && act.verb === "restore");
	const isListed =
		isBack || act.kind === "key" || act.verb === "create" || (act.verb === "test" && screen === "deliveries");
	return isListed ? event.things.filter(({ id }) => !known.has(id)) : [];
}
