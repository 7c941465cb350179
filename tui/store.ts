import type { Effect, Event, State, Step } from "./state/model.ts";
import { reduce } from "./state/reduce.ts";

interface Store {
	readonly state: State;
	dispatch(event: Event): void;
}

/** Feeds events to the reducer one after another, also those that arise while one is worked on. */
export function createStore(first: Step, on: { changed(state: State): void; effect(effect: Effect): void }): Store {
	let { state } = first;
	const waiting: Event[] = [];
	let isBusy = false;

	function took(step: Step): void {
		const hasChanged = step.state !== state;
		state = step.state;
		for (const effect of step.effects) on.effect(effect);
		if (hasChanged) on.changed(state);
	}

	function dispatch(event: Event): void {
		waiting.push(event);
		if (isBusy) return;
		isBusy = true;
		try {
			for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) took(reduce(state, next));
		} finally {
			isBusy = false;
		}
	}

	for (const effect of first.effects) on.effect(effect);
	return {
		get state() {
			return state;
		},
		dispatch,
	};
}
