import type { Preset, SigningKey } from "@svc/sdk/shapes";
import { noun } from "./noun.ts";

export const PRESET = noun<Preset>()({
	fields: {
		id: {},
		name: { title: "Name", width: 16 },
		parameters: {
			value: ({ parameters }) => new URLSearchParams(parameters).toString(),
			shrinks: true,
			title: "Parameters",
			cell: ({ parameters }) => new URLSearchParams(parameters).toString().replaceAll("&", " "),
		},
		created_at: { kind: "time", title: "Made", width: 8, label: "made" },
		address: { value: ({ name }) => `?preset=${name} behind an image's` },
	},
	list: ["id", "name", "parameters", "created_at"],
	detail: [],
	dashboard: {
		title: "Preset",
		empty: "This App has no preset. c creates one, as svc presets create does.",
		columns: ["name", "parameters", "created_at"],
		lines: ["id", "name", "address", "created_at"],
		more: ({ parameters }) => [
			{ title: `Parameters: ${Object.keys(parameters).length}`, rows: Object.entries(parameters) },
		],
	},
});

export const SIGNING_KEY = noun<SigningKey>()({
	fields: {
		id: {},
		name: { shrinks: true, title: "Name" },
		last4: { title: "Ends in", width: 8, cell: ({ last4 }) => `…${last4}` },
		created_at: { kind: "time", title: "Made", width: 8, label: "made" },
		secret: { value: ({ last4 }) => `svc_sig_…${last4}` },
		addresses: { value: () => "signUrl of the SDK, or svc images sign" },
	},
	list: ["id", "name", "last4", "created_at"],
	detail: [],
	dashboard: {
		title: "Signing key",
		empty: "This App signs no address. c creates a key, as svc signing-keys create does.",
		columns: ["name", "last4", "created_at"],
		lines: ["id", "name", "secret", "created_at", "addresses"],
	},
});
