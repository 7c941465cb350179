import type { ModerationItem } from "@svc/sdk/shapes";
import type { Event, State, Step } from "@svc/tui/state/model";
import { reduce, start } from "@svc/tui/state/reduce";
import type { Thing } from "@svc/tui/state/things";

/* What the tests of the dashboard start from. */

export function sampleItem(id: string, more: Partial<ModerationItem> = {}): ModerationItem {
	const at = "2026-01-01T00:00:00.000Z";
	const size = { url: "http://cdn.test/x", width: 1, height: 1 };
	return {
		id,
		object: "moderation_item",
		image: {
			id,
			object: "image",
			url: `http://cdn.test/t/${id}.png`,
			sizes: { small: size, medium: size, large: size },
			filename: `${id}.png`,
			format: "png",
			width: 4,
			height: 3,
			bytes: 1_234,
			status: "ready",
			published_at: at,
			expires_at: null,
			created_at: at,
			caption: "",
			metadata: {},
			labels: {},
			nsfw: false,
			app_id: "app_1",
			storage: "app",
		},
		revision: 1,
		placeholder: null,
		locked: false,
		blocked_reason: null,
		similar: null,
		reports: [],
		reports_count: 0,
		actions: [],
		created_at: at,
		...more,
	};
}

export function key(name: string, ctrl = false): Event {
	return { type: "key", name, ctrl };
}

export function keys(...names: readonly string[]): Event[] {
	return names.map((name) => key(name));
}

/** All of the events, and the effects of all of them. */
export function play(first: State, ...events: readonly Event[]): Step {
	return events.reduce<Step>(
		({ state, effects }, event) => {
			const next = reduce(state, event);
			return { state: next.state, effects: [...effects, ...next.effects] };
		},
		{ state: first, effects: [] },
	);
}

export const NOW_MS = Date.parse("2026-01-01T01:00:00.000Z");

export function started(more: Partial<Parameters<typeof start>[0]> = {}): State {
	const given = { columns: 120, rows: 30, nowMs: NOW_MS, profile: "local", screen: "moderation" } as const;
	return start({ ...given, readOnly: false, commands: [], pictures: "cells", ...more }).state;
}

/** The operator is known, and the moderation queue has come. */
export function queueOf(things: readonly Thing[], more: Parameters<typeof started>[0] = {}): State {
	const person = { email: "op@example.com", operator: true };
	const app = { id: "app_1", name: "Shop", role: "owner" };
	const { state } = play(started(more), { type: "met", person, app });
	const seq = state.lists[state.screen].pending?.seq ?? -1;
	return play(state, { type: "page", screen: state.screen, seq, things, nextCursor: undefined }).state;
}

/** The answer to a change. */
export function acted(seq: number, more: Partial<Extract<Event, { type: "acted" }>>): Event {
	return { type: "acted", seq, things: [], gone: [], failures: [], ...more };
}

export function refused(...ids: readonly string[]) {
	return ids.map((id) => ({ id, message: `not ${id}` }));
}
