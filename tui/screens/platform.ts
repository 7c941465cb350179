import type { Event, UploadTicket } from "@svc/sdk/shapes";
import { ageText, bytesText } from "../text.ts";
import { type Section, screenOf, type Tone } from "./describe.ts";

const TICKET_SIGNS: Readonly<Record<string, readonly [string, Tone | undefined]>> = {
	open: ["○ open", undefined],
	used: ["✓ used", "good"],
	expired: ["… expired", "warn"],
	cancelled: ["⛒ cancelled", "danger"],
};

export const tickets = screenOf<UploadTicket>({
	object: "upload_ticket",
	columns: [
		{
			title: "State",
			width: 11,
			text: ({ state }) => TICKET_SIGNS[state]?.[0] ?? state,
			tone: ({ state }) => TICKET_SIGNS[state]?.[1],
		},
		{ title: "Image to be", text: ({ image_id }) => image_id },
		{ title: "Tries", width: 5, text: ({ attempts }) => String(attempts) },
		{ title: "Ends", width: 8, text: ({ expires_at }, nowMs) => ageText(expires_at, nowMs) },
		{ title: "Made", width: 8, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "At most", width: 8, more: true, text: ({ max_bytes }) => bytesText(max_bytes) },
		{ title: "Storage", width: 28, more: true, text: ({ user_id }) => user_id ?? "the App's own" },
	],
	empty: "No upload ticket is in this state. s shows the next one. Make one with: svc tickets create",
	sections: (ticket, nowMs) => [
		{
			title: "Upload ticket",
			rows: [
				["id", ticket.id],
				["state", ticket.state],
				["image", ticket.state === "used" ? ticket.image_id : `${ticket.image_id} (to be)`],
				["storage", ticket.user_id ?? "the App's own"],
				["at most", bytesText(ticket.max_bytes)],
				["formats", ticket.formats.join(", ")],
				["pages", ticket.origins === null ? "any" : ticket.origins.join(", ")],
				["made", ageText(ticket.created_at, nowMs)],
				["ends", `${ticket.expires_at} (${ageText(ticket.expires_at, nowMs)})`],
				["used", ageText(ticket.used_at, nowMs)],
				["address", ticket.url === null ? "for Editors, Admins and Owners" : "c copies it: whoever has it may upload"],
			],
		},
		{ title: `Uploads that were judged: ${ticket.attempts}`, rows: failureOf(ticket) },
		...valuesOf("The image gets", ticket.fields),
	],
});

function failureOf({ failure }: UploadTicket): Section["rows"] {
	if (failure === null) return [];
	const details = Object.entries(failure.details ?? {}).map(([place, why]): [string, string] => [place, textOf(why)]);
	return [["refused", `${failure.code}: ${failure.message}`], ...details];
}

function textOf(value: unknown): string {
	if (value === null || value === undefined || value === "") return "—";
	if (Array.isArray(value)) return value.map(textOf).join("; ");
	return typeof value === "string" ? value : JSON.stringify(value);
}

const EVENT_TONES: readonly (readonly [ending: string, tone: Tone])[] = [
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

export const events = screenOf<Event>({
	object: "event",
	columns: [
		{ title: "When", width: 9, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{
			title: "What",
			width: 25,
			text: ({ type }) => type,
			tone: ({ type }) => EVENT_TONES.find(([ending]) => type.endsWith(ending))?.[1],
		},
		{ title: "About", text: ({ data }) => nameOf(data.object) },
		{ title: "User", width: 28, more: true, text: ({ user_id }) => user_id ?? "—" },
	],
	empty: "Nothing has happened since this screen was opened. svc events lists what happened before.",
	sections: (event, nowMs) => [
		{
			title: "Event",
			rows: [
				["id", event.id],
				["what", event.type],
				["about", event.data.object.id ?? "—"],
				["user", event.user_id ?? "none: the App's own"],
				["when", `${event.created_at} (${ageText(event.created_at, nowMs)})`],
				["request", event.request_id ?? "none: the service itself"],
				...(event.data.reason === undefined ? [] : [["reason", event.data.reason] as const]),
			],
		},
		...changesOf(event),
		...valuesOf("As it was then", event.data.object),
	],
});

/** The name that people use, where the thing has one. */
function nameOf(object: Event["data"]["object"]): string {
	const { filename, name, email } = object as Readonly<Record<string, unknown>> & typeof object;
	const known = [filename, name, email].find((one) => typeof one === "string" && one !== "");
	return known === undefined ? (object.id ?? object.object) : String(known);
}

function changesOf({ data: { object, previous = {} } }: Event): readonly Section[] {
	const now = new Map<string, unknown>(Object.entries(object));
	const rows = Object.entries(previous)
		.filter(([name]) => !UNREADABLE.has(name))
		.map(([name, before]): [string, string] => [name, `${textOf(before)} → ${textOf(now.get(name))}`]);
	return rows.length === 0 ? [] : [{ title: "What changed", rows }];
}

/** They say what the address or the section says as well. */
const UNREADABLE: ReadonlySet<string> = new Set(["object", "sizes"]);

function valuesOf(title: string, values: object): readonly Section[] {
	const known = Object.entries(values).filter(([name]) => !UNREADABLE.has(name));
	const rows = known.map(([name, value]): [string, string] => [name, textOf(value)]);
	return rows.length === 0 ? [] : [{ title, rows }];
}
