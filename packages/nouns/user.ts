import type { ConnectedUser } from "@svc/sdk/shapes";
import { noun } from "./noun.ts";
import { dayText } from "./words.ts";

export const USER = noun<ConnectedUser>()({
	fields: {
		id: {},
		email: {
			shrinks: true,
			title: "E-mail",
			label: "e-mail",
			line: ({ email, verified }) => `${email}${verified ? "" : " (not verified)"}`,
		},
		state: {
			title: "State",
			width: 14,
			cell: ({ state }) => (state === "connected" ? "○ connected" : `… ${state}`),
			line: ({ state }) => state,
		},
		images: { kind: "count", title: "Images", width: 8 },
		bytes: { kind: "bytes", title: "Stored", width: 8, more: true },
		created_at: { kind: "time", title: "Since", width: 9, label: "since" },
		verified: {},
		access: { title: "Plan", width: 16, more: true, cell: ({ access }) => access?.plan_key ?? "—", line: accessText },
	},
	list: ["id", "email", "state", "images", "bytes", "created_at"],
	detail: ["verified", "access"],
	dashboard: {
		title: "Connected user",
		empty: "Nobody is connected to this App. Its users connect themselves; r looks again.",
		columns: ["state", "email", "images", "created_at", "bytes", "access"],
		lines: ["id", "email", "state", "images", "bytes", "created_at", "access"],
	},
});

function accessText({ access }: ConnectedUser): string {
	if (access === null) return "the App sells nothing";
	const until = access.expires_at === null ? "" : `, until ${dayText(access.expires_at)}`;
	return `${access.plan_key ?? "no plan"} (${access.status})${until}`;
}
