import type { UploadTicket } from "@svc/sdk/shapes";
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
		...fieldsOf(ticket),
	],
});

function failureOf({ failure }: UploadTicket): Section["rows"] {
	if (failure === null) return [];
	const details = Object.entries(failure.details ?? {}).map(([place, why]): [string, string] => [place, textOf(why)]);
	return [["refused", `${failure.code}: ${failure.message}`], ...details];
}

function fieldsOf({ fields }: UploadTicket): readonly Section[] {
	const rows = Object.entries(fields).map(([name, value]): [string, string] => [name, textOf(value)]);
	return rows.length === 0 ? [] : [{ title: "The image gets", rows }];
}

function textOf(value: unknown): string {
	if (Array.isArray(value)) return value.map(textOf).join("; ");
	return typeof value === "string" ? value : JSON.stringify(value);
}
