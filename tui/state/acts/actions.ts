import type { AppThing } from "@svc/nouns/app";
import type { ManagedKey } from "@svc/sdk/shapes";
import { openForm } from "../forms/form.ts";
import { newKeyForm } from "../forms/key-form.ts";
import { lineOf } from "../forms/line.ts";
import { listOf, selectedOf, targetsOf } from "../lists/list.ts";
import { BATCH_LIMIT, type State, type Step, say, stay } from "../model.ts";
import type { Wanted } from "../overlays/overlay.ts";
import type { Action } from "./action.ts";
import { change } from "./changes.ts";

export const WAIT = "A secret is being made; it comes first.";

export function pauseOrResume(state: State): Step {
	return withApp(state, ({ id, state: now }) => {
		if (now === "blocked") return stay(say(state, "warn", "It is blocked; u unblocks it, for operators."));
		return change(state, { kind: "app", verb: now === "paused" ? "resume" : "pause", id });
	});
}

function withApp(state: State, act: (app: AppThing) => Step): Step {
	const app = selectedOf(listOf(state));
	return app?.object === "app" ? act(app) : stay(say(state, "warn", "No App is chosen."));
}

export function askAppReason(state: State): Step {
	return asOperator(state, (app) => {
		if (app.state === "blocked") return stay(say(state, "warn", "It is blocked already."));
		return stay({ ...state, overlay: { kind: "reason", of: { kind: "app", id: app.id } }, notice: undefined });
	});
}

function asOperator(state: State, act: (app: AppThing) => Step): Step {
	if (state.person?.operator === true) return withApp(state, act);
	return stay(say(state, "warn", "Only operators block an App; p pauses it."));
}

export function unblockApp(state: State): Step {
	return asOperator(state, ({ id, state: now }) => {
		if (now !== "blocked") return stay(say(state, "warn", "It is not blocked."));
		return change(state, { kind: "app", verb: "unblock", id });
	});
}

const MAKES_SECRET: ReadonlySet<Action["kind"]> = new Set(["new-key", "new-webhook", "new-signing-key"]);

/** A secret is shown once: a second one would take its place before it was read. */
export function isMakingSecret({ changes }: Pick<State, "changes">): boolean {
	return changes.some(({ act }) => MAKES_SECRET.has(act.kind) || ("verb" in act && act.verb === "rotate"));
}

export function createKey(state: State): Step {
	if (isMakingSecret(state)) return stay(say(state, "warn", WAIT));
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return openForm(state, newKeyForm(state.app));
}

/** The old key works on until it is revoked. */
export function rotateKey(state: State): Step {
	if (isMakingSecret(state)) return stay(say(state, "warn", WAIT));
	return withKey(state, ({ id }, app) => change(state, { kind: "key", verb: "rotate", app, id }));
}

function withKey(state: State, act: (key: ManagedKey, app: string) => Step): Step {
	const key = selectedOf(listOf(state));
	if (key?.object !== "key" || state.app === undefined) return stay(say(state, "warn", "No key is chosen."));
	return key.revoked_at === null ? act(key, state.app.id) : stay(say(state, "warn", "It is revoked already."));
}

export function revokeKey(state: State): Step {
	return withKey(state, ({ id, name, last4 }, app) => {
		const question = `Revoke ${name}? Whatever uses it stops working.`;
		return confirm(state, question, last4, { kind: "key", verb: "revoke", app, id });
	});
}

/** Asks for what has to be written. */
export function askText(state: State, label: string, wanted: Wanted, typed = ""): Step {
	return stay({
		...state,
		overlay: { kind: "text", label, typed, caret: lineOf(typed).caret, wanted },
		notice: undefined,
	});
}

/** Asks before an irreversible action: `expected` has to be typed. */
export function confirm(state: State, question: string, expected: string, act: Action): Step {
	return stay({
		...state,
		overlay: { kind: "confirm", question, expected, typed: "", caret: 0, act },
		notice: undefined,
	});
}

export function disconnectUser(state: State): Step {
	const user = selectedOf(listOf(state));
	if (user?.object !== "connected_user" || state.app === undefined) {
		return stay(say(state, "warn", "No user is chosen."));
	}
	const act: Action = { kind: "user", verb: "disconnect", app: state.app.id, id: user.id };
	return confirm(state, `Disconnect ${user.email} and delete ${user.images} images for good?`, user.email, act);
}

export function archivePlan(state: State): Step {
	const plan = selectedOf(listOf(state));
	if (plan?.object !== "plan" || state.app === undefined) return stay(say(state, "warn", "No plan is chosen."));
	if (plan.archived_at !== null) return stay(say(state, "warn", "It is archived already."));
	if (state.app.sells === false) return stay(say(state, "warn", unsoldText(state)));
	const act: Action = { kind: "plan", verb: "archive", app: state.app.id, id: plan.id };
	return confirm(state, `Take ${plan.name} off sale for good?`, plan.key, act);
}

/** Why no plan can be changed, and what to do first. */
export function unsoldText({ app, person }: State): string {
	const next =
		person?.operator === true
			? "2 shows the Apps, and t there allows it (May sell)"
			: "an operator of the service has to allow it (svc selling on)";
	return `${app?.name ?? "This App"} may not sell plans yet: ${next}; then r here.`;
}

/** What the database does not know after a day goes to the trash once more. */
export function restoreBlobs(state: State): Step {
	const ids = targetsOf(listOf(state))
		.map(({ id }) => id)
		.slice(0, BATCH_LIMIT);
	if (ids.length === 0) return stay(say(state, "warn", "Nothing is chosen."));
	return change(state, { kind: "trash", verb: "restore", ids });
}
