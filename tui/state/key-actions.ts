import type { ManagedKey } from "@svc/sdk/management-types";
import { change } from "./changes.ts";
import { confirm } from "./confirm.ts";
import { listOf, selectedOf } from "./list.ts";
import { type State, type Step, say, stay } from "./model.ts";

function withKey(state: State, act: (key: ManagedKey, app: string) => Step): Step {
	const key = selectedOf(listOf(state));
	if (key?.object !== "key" || state.app === undefined) return stay(say(state, "warn", "No key is chosen."));
	return key.revoked_at === null ? act(key, state.app.id) : stay(say(state, "warn", "It is revoked already."));
}

/** A secret is shown once: a second one would take its place before it was read. */
export function isMakingKey({ changes }: Pick<State, "changes">): boolean {
	return changes.some(({ act }) => act.kind === "new-key" || (act.kind === "key" && act.verb === "rotate"));
}

const WAIT = "A key is being made; its secret comes first.";

export function createKey(state: State): Step {
	if (isMakingKey(state)) return stay(say(state, "warn", WAIT));
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return stay({ ...state, overlay: { kind: "name", typed: "", app: state.app.id }, notice: undefined });
}

/** The old key works on until it is revoked. */
export function rotateKey(state: State): Step {
	if (isMakingKey(state)) return stay(say(state, "warn", WAIT));
	return withKey(state, ({ id }, app) => change(state, { kind: "key", verb: "rotate", app, id }));
}

export function revokeKey(state: State): Step {
	return withKey(state, ({ id, name, last4 }, app) => {
		const question = `Revoke ${name}? Whatever uses it stops working.`;
		return confirm(state, question, last4, { kind: "key", verb: "revoke", app, id });
	});
}
