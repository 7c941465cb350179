import { change } from "./changes.ts";
import { listOf, selectedOf } from "./list.ts";
import { type State, type Step, say, stay } from "./model.ts";
import type { AppThing } from "./things.ts";

function withApp(state: State, act: (app: AppThing) => Step): Step {
	const app = selectedOf(listOf(state));
	return app?.object === "app" ? act(app) : stay(say(state, "warn", "No App is chosen."));
}

function asOperator(state: State, act: (app: AppThing) => Step): Step {
	if (state.person?.operator === true) return withApp(state, act);
	return stay(say(state, "warn", "Only operators block an App; p pauses it."));
}

export function pauseOrResume(state: State): Step {
	return withApp(state, ({ id, state: now }) => {
		if (now === "blocked") return stay(say(state, "warn", "It is blocked; u unblocks it, for operators."));
		return change(state, { kind: "app", verb: now === "paused" ? "resume" : "pause", id, reason: undefined });
	});
}

export function askAppReason(state: State): Step {
	return asOperator(state, (app) => {
		if (app.state === "blocked") return stay(say(state, "warn", "It is blocked already."));
		const act = { kind: "app", verb: "block", id: app.id, reason: undefined } as const;
		return stay({ ...state, overlay: { kind: "reason", act }, notice: undefined });
	});
}

export function unblockApp(state: State): Step {
	return asOperator(state, ({ id, state: now }) => {
		if (now !== "blocked") return stay(say(state, "warn", "It is not blocked."));
		return change(state, { kind: "app", verb: "unblock", id, reason: undefined });
	});
}
