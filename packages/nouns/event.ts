import type { Event } from "@svc/sdk/shapes";
import { type NounSection, type NounTone, noun, readable, sectionOf, valuesOf, valueText } from "./noun.ts";
import { timeText } from "./words.ts";

const TONES: readonly (readonly [ending: string, tone: NounTone])[] = [
	[".deleted", "danger"],
	[".blocked", "danger"],
	[".disabled", "danger"],
	[".revoked", "danger"],
	[".locked", "warn"],
	[".paused", "warn"],
	[".expired", "warn"],
	[".created", "good"],
	[".connected", "good"],
];

export const EVENT = noun<Event>()({
	fields: {
		created_at: {
			kind: "time",
			title: "When",
			width: 9,
			label: "when",
			line: ({ created_at: at }, nowMs) => timeText(at, nowMs),
		},
		type: {
			title: "What",
			width: 25,
			tone: ({ type }) => TONES.find(([ending]) => type.endsWith(ending))?.[1],
			label: "what",
		},
		object: {
			value: ({ data }) => data.object.id ?? null,
			title: "About",
			cell: ({ data }) => nameOf(data.object),
			label: "about",
		},
		user_id: {
			title: "User",
			width: 28,
			more: true,
			label: "user",
			line: ({ user_id: user }) => user ?? "none: the App's own",
		},
		id: {},
		request_id: {
			hidden: true,
			label: "request",
			line: ({ request_id: request }) => request ?? "none: the service itself",
		},
		data: { hidden: true, label: "reason", line: ({ data }) => data.reason },
	},
	list: ["created_at", "type", "object", "user_id", "id", "request_id", "data"],
	detail: [],
	dashboard: {
		title: "Event",
		empty: "Nothing has happened since this screen was opened. svc events lists what happened before.",
		columns: ["created_at", "type", "object", "user_id"],
		lines: ["id", "type", "object", "user_id", "created_at", "request_id", "data"],
		more: (event) => [...changesOf(event), ...valuesOf("As it was then", event.data.object)],
	},
});

/** The name that people use, where the thing has one. */
function nameOf(object: Event["data"]["object"]): string {
	const { filename, name, email } = object as Readonly<Record<string, unknown>> & typeof object;
	const known = [filename, name, email].find((one) => typeof one === "string" && one !== "");
	return known === undefined ? (object.id ?? object.object) : String(known);
}

function changesOf({ data: { object, previous = {} } }: Event): readonly NounSection[] {
	const now = new Map<string, unknown>(Object.entries(object));
	const rows = readable(previous).map(([name, before]): [string, string] => [
		name,
		`${valueText(before)} → ${valueText(now.get(name))}`,
	]);
	return sectionOf("What changed", rows);
}
