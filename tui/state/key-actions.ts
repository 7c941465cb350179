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

export function createKey(state: State): Step {
	if (state.app === undefined) return stay(say(state, "warn", "No App is chosen."));
	return stay({ ...state, overlay: { kind: "name", typed: "", app: state.app.id }, notice: undefined });
}

/** The old key works on until it is revoked. */
export function rotateKey(state: State): Step {
	return withKey(state, ({ id }, app) => change(state, { kind: "key", verb: "rotate", app, id }));
}

export function revokeKey(state: State): Step {
	return withKey(state, ({ id, name, last4 }, app) => {
		const question = `Revoke ${name}? Whatever uses it stops working.`;
		return confirm(state, question, last4, { kind: "key", verb: "revoke", app, id });
	});
}
