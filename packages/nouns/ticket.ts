import type { UploadTicket } from "@svc/sdk/shapes";
import { type NounSection, noun, signedBy, valuesOf, valueText } from "./noun.ts";
import { timeText } from "./words.ts";

const owner = ({ user_id: user }: UploadTicket) => user ?? "the App's own";

export const TICKET = noun<UploadTicket>()({
	fields: {
		id: {},
		state: {
			title: "State",
			width: 11,
			...signedBy("state", {
				open: ["○ open", undefined],
				used: ["✓ used", "good"],
				expired: ["… expired", "warn"],
				cancelled: ["⛒ cancelled", "danger"],
			}),
			line: ({ state }) => state,
		},
		image_id: {
			title: "Image to be",
			label: "image",
			line: ({ state, image_id: id }) => (state === "used" ? id : `${id} (to be)`),
		},
		expires_at: {
			kind: "time",
			title: "Ends",
			width: 8,
			label: "ends",
			line: ({ expires_at: at }, nowMs) => timeText(at, nowMs),
		},
		attempts: { title: "Tries", width: 5 },
		failure: { value: ({ failure }) => failure?.code ?? null },
		user_id: { title: "Storage", width: 28, more: true, cell: owner, label: "storage", line: owner },
		url: {
			label: "address",
			line: ({ url }) => (url === null ? "for Editors, Admins and Owners" : "c copies it: whoever has it may upload"),
		},
		max_bytes: { kind: "bytes", title: "At most", width: 8, more: true, label: "at most" },
		formats: { value: ({ formats }) => formats.join(","), line: ({ formats }) => formats.join(", ") },
		origins: {
			value: ({ origins }) => origins?.join(",") ?? "any",
			label: "pages",
			line: ({ origins }) => origins?.join(", ") ?? "any",
		},
		used_at: { kind: "time", label: "used" },
		created_at: { kind: "time", title: "Made", width: 8, label: "made" },
	},
	list: ["id", "state", "image_id", "expires_at", "attempts", "failure", "user_id"],
	detail: ["max_bytes", "formats", "origins", "used_at", "created_at"],
	dashboard: {
		title: "Upload ticket",
		empty: "No upload ticket is in this state. s shows the next one. Make one with: svc tickets create",
		columns: ["state", "image_id", "attempts", "expires_at", "created_at", "max_bytes", "user_id"],
		lines: [
			...["id", "state", "image_id", "user_id", "max_bytes", "formats", "origins", "created_at", "expires_at"],
			...["used_at", "url"],
		] as const,
		more: (ticket) => [
			{ title: `Uploads that were judged: ${ticket.attempts}`, rows: failureOf(ticket) },
			...valuesOf("The image gets", ticket.fields),
		],
	},
});

function failureOf({ failure }: UploadTicket): NounSection["rows"] {
	if (failure === null) return [];
	const details = Object.entries(failure.details ?? {}).map(([place, why]): [string, string] => [
		place,
		valueText(why),
	]);
	return [["refused", `${failure.code}: ${failure.message}`], ...details];
}
