import { listOf, selectedOf, targetsOf } from "../lists/list.ts";
import type { State } from "../model.ts";
import { wantedPreview } from "../preview.ts";
import type { Thing } from "../things.ts";

/* What the bottom line says of a key: a word while the key would do something, and nothing while it would not. */

export type Word = (state: State) => string | undefined;

type Of<K extends Thing["object"]> = Extract<Thing, { object: K }>;

const one = (state: State) => selectedOf(listOf(state));

/** While something is under the cursor. */
export const ofOne =
	(word: string): Word =>
	(state) =>
		one(state) && word;

/** While what is under the cursor is of a kind, and fits. */
const ofKind =
	<K extends Thing["object"]>(object: K, word: (thing: Of<K>, state: State) => string | undefined): Word =>
	(state) => {
		const thing = one(state);
		return thing?.object === object ? word(thing as Of<K>, state) : undefined;
	};

/** While some of those that an action would be about fit. */
const ofSome =
	<K extends Thing["object"]>(object: K, word: (things: readonly Of<K>[]) => string | undefined): Word =>
	(state) => {
		const things = targetsOf(listOf(state)).filter((thing): thing is Of<K> => thing.object === object);
		return things.length === 0 ? undefined : word(things);
	};

const forOperators =
	(word: Word): Word =>
	(state) =>
		state.person?.operator === true ? word(state) : undefined;

export const operators = (word: string): Word => forOperators(() => word);

export const pauseWord = ofKind("app", ({ state }) => ({ active: "pause", paused: "resume" })[state as string]);
export const blockAppWord = forOperators(ofKind("app", ({ state }) => (state === "blocked" ? undefined : "block")));
export const unblockAppWord = forOperators(ofKind("app", ({ state }) => (state === "blocked" ? "unblock" : undefined)));
export const termsWord = forOperators(ofOne("terms"));

const isBlocked = ({ image }: Of<"moderation_item">) => image.status === "blocked";
export const lockWord = ofSome("moderation_item", (items) =>
	items.some(({ locked }) => !locked) ? "lock" : undefined,
);
export const blockWord = ofSome("moderation_item", (items) => (items.every(isBlocked) ? undefined : "block"));
export const releaseWord = ofSome("moderation_item", (items) => {
	if (items.some(isBlocked)) return "unblock";
	return items.some(({ locked }) => locked) ? "unlock" : undefined;
});
export const nsfwWord = ofSome("moderation_item", (items) =>
	items.every(({ image }) => image.nsfw) ? "not nsfw" : "nsfw",
);
export const undoWord: Word = ({ undos }) => (undos.length > 0 ? "undo" : undefined);
export const bringBackWord: Word = ({ deletions }) => (deletions.length > 0 ? "undo" : undefined);

/** Of a picture that is covered, or was uncovered. */
export const revealWord: Word = (state) => {
	if (state.revealed.has(one(state)?.id ?? "")) return "cover";
	return wantedPreview(state)?.isCovered === true ? "reveal" : undefined;
};

export const ofKey = (word: string): Word =>
	ofKind("key", ({ revoked_at }) => (revoked_at === null ? word : undefined));

/** The word for a plan that can be changed. */
export const ofPlan = (word: string): Word =>
	ofKind("plan", ({ archived_at }, { app }) => (archived_at === null && app?.sells !== false ? word : undefined));
export const newPlanWord: Word = ({ app }) => (app?.sells === false ? undefined : "create");

/** Of the endpoint that is chosen, or whose deliveries are shown. */
export const ofEndpoint =
	(word: string): Word =>
	(state) =>
		state.screen === "deliveries" ? state.endpoint && word : one(state) && word;
export const enableWord = ofKind("webhook_endpoint", ({ state }) => (state === "enabled" ? "disable" : "enable"));
export const deliverWord = ofKind("webhook_delivery", ({ state }) => (state === "pending" ? undefined : "deliver"));

/** The word for somebody who still pays. */
export const ofPaying = (word: string): Word =>
	forOperators(ofKind("subscription", ({ ended_at }) => (ended_at === null ? word : undefined)));
export const refundWord = forOperators(
	ofKind("subscription", ({ invoices }) =>
		invoices.some(({ amount_paid, amount_refunded }) => amount_paid > amount_refunded) ? "refund" : undefined,
	),
);

export const cancelWord = ofSome("upload_ticket", (tickets) =>
	tickets.some(({ state }) => state === "open") ? "cancel" : undefined,
);
export const copyTicketWord = ofKind("upload_ticket", ({ url }) => (url === null ? undefined : "copy"));

export const followWord: Word = ({ follows }) => (follows ? "stop following" : "follow");

export const filterWord: Word = (state) => {
	const { things, filter, search } = listOf(state);
	return things.length > 0 || filter !== "" || search !== "" ? "filter" : undefined;
};
