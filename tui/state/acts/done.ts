import type { ModerationVerb } from "@svc/sdk/shapes";
import type { Change } from "../model.ts";
import type { Thing } from "../things.ts";
import type { Action } from "./action.ts";

/* What is said of a change that was made. */

const PAST: Record<ModerationVerb, string> = {
	lock: "locked",
	unlock: "unlocked",
	block: "blocked",
	unblock: "unblocked",
	nsfw: "flagged as nsfw",
	not_nsfw: "no longer flagged as nsfw",
	delete: "deleted",
};

/** Actions on one thing that has a name. */
type Named = Exclude<
	Action,
	{ readonly kind: "moderate" | "trash" | "tickets" | "images" } | { readonly verb: "create" }
>;

const DONE: { readonly [Kind in Named["kind"]]: Readonly<Record<Extract<Named, { kind: Kind }>["verb"], string>> } = {
	app: { pause: "paused; p resumes it", resume: "resumed", block: "blocked; u unblocks it", unblock: "unblocked" },
	key: { rotate: "has a successor now, and works until x revokes it", revoke: "revoked" },
	"app-settings": { edit: "changed" },
	"app-terms": { edit: "has other terms now" },
	"app-removal": { delete: "is being deleted with all that it holds" },
	user: { disconnect: "disconnected" },
	grant: { give: "has the plan now, and a mail about it" },
	plan: { archive: "no longer on sale" },
	"plan-words": { edit: "changed" },
	price: { add: "has one more price, on sale" },
	prices: { edit: "prices changed; whoever pays one goes on paying it" },
	image: { edit: "changed" },
	subscription: { extend: "has more time now, and its payer a mail", cancel: "cancelled; its payer has a mail" },
	refund: { refund: "paid back; its payer has a mail" },
	webhook: {
		test: "a test event is on its way; its delivery shows the answer",
		enable: "enabled: it gets what happens from now on, and with m what it missed",
		disable: "disabled, and what was on its way has ended; p enables it",
		rotate: "has a new secret; the old one signs as well for a day",
		remove: "removed",
	},
	recover: { recover: "what was not delivered is on its way again" },
	delivery: { redeliver: "on its way again" },
	preset: { edit: "changed", remove: "removed: its addresses are not answered any more" },
	"signing-key": { remove: "removed: what it signed is not answered any more" },
};

const MADE: Record<Extract<Action, { readonly verb: "create" }>["kind"], string> = {
	"new-app": "App",
	"new-key": "key",
	"new-plan": "plan",
	"new-webhook": "endpoint",
	"new-preset": "preset",
	"new-signing-key": "signing key",
};

/** `count` is how many of the things were changed. */
export function doneText({ act, before }: Change, count: number, canUndo: boolean): string {
	if (act.kind === "trash") return `${count} brought back from the trash.`;
	if (act.kind === "tickets") return count === 1 ? "1 ticket cancelled." : `${count} tickets cancelled.`;
	if (act.kind === "images") return imagesText(act.verb, count);
	if (act.kind === "moderate") return moderatedText(act, count, canUndo);
	if (act.verb === "create") return `Made the ${MADE[act.kind]} ${act.name}.`;
	const words: Readonly<Record<string, string>> = DONE[act.kind];
	const was = before.get(act.id)?.was;
	const done = `${words[act.verb]}.`;
	return was === undefined ? done.charAt(0).toUpperCase() + done.slice(1) : `${nameOf(was)}: ${done}`;
}

function imagesText(verb: "delete" | "restore", count: number): string {
	const images = count === 1 ? "1 image" : `${count} images`;
	return verb === "delete"
		? `${images} deleted; z brings back what is less than a day old.`
		: `${images} brought back.`;
}

function moderatedText(act: Extract<Action, { kind: "moderate" }>, count: number, canUndo: boolean): string {
	const done = `${count === 1 ? "1 image" : `${count} images`} ${PAST[act.verb]}`;
	if (act.isUndo) return `Undone: ${done}.`;
	return canUndo ? `${done}; z takes it back.` : `${done}.`;
}

/** The name that people use for the thing. */
function nameOf(thing: Thing): string {
	if (thing.object === "connected_user") return thing.email;
	if (thing.object === "webhook_endpoint") return new URL(thing.url).host;
	if (thing.object === "webhook_delivery") return thing.type;
	if (thing.object === "image") return thing.filename;
	return "name" in thing ? thing.name : thing.id;
}
