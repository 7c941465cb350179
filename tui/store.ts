import type { Effect, Event, State, Step } from "./state/model.ts";
import { reduce } from "./state/reduce.ts";

export interface Store {
	readonly state: State;
	readonly dispatch: (event: Event) => void;
	/** Calls `changed` after each change, until what it answers is called. */
	readonly subscribe: (changed: () => void) => () => void;
}

/** Feeds events to the reducer one after another, also those that arise while one is worked on. */
export function createStore(first: Step, perform: (effect: Effect) => void): Store {
	let { state } = first;
	const waiting: Event[] = [];
	const listeners = new Set<() => void>();
	let isBusy = false;

	function took(step: Step): void {
		const hasChanged = step.state !== state;
		state = step.state;
		for (const effect of step.effects) perform(effect);
		if (hasChanged) for (const changed of listeners) changed();
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

	for (const effect of first.effects) perform(effect);
	return {
		get state() {
			return state;
		},
		dispatch,
		subscribe(changed) {
			listeners.add(changed);
			return () => listeners.delete(changed);
		},
	};
}
