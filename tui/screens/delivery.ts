import type { Preset, SigningKey } from "@svc/sdk/shapes";
import { ageText } from "../text.ts";
import { screenOf } from "./describe.ts";

export const presets = screenOf<Preset>({
	object: "preset",
	columns: [
		{ title: "Name", width: 16, text: ({ name }) => name },
		{ title: "Parameters", text: ({ parameters }) => new URLSearchParams(parameters).toString().replaceAll("&", " ") },
		{ title: "Made", width: 8, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
	],
	empty: "This App has no preset. c creates one, as svc presets create does.",
	sections: (preset, nowMs) => [
		{
			title: "Preset",
			rows: [
				["id", preset.id],
				["name", preset.name],
				["address", `?preset=${preset.name} behind an image's`],
				["made", ageText(preset.created_at, nowMs)],
			],
		},
		{ title: `Parameters: ${Object.keys(preset.parameters).length}`, rows: Object.entries(preset.parameters) },
	],
});

export const signingKeys = screenOf<SigningKey>({
	object: "signing_key",
	columns: [
		{ title: "Name", text: ({ name }) => name },
		{ title: "Ends in", width: 8, text: ({ last4 }) => `…${last4}` },
		{ title: "Made", width: 8, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
	],
	empty: "This App signs no address. c creates a key, as svc signing-keys create does.",
	sections: (key, nowMs) => [
		{
			title: "Signing key",
			rows: [
				["id", key.id],
				["name", key.name],
				["secret", `svc_sig_…${key.last4}`],
				["made", ageText(key.created_at, nowMs)],
				["addresses", "signUrl of the SDK, or svc images sign"],
			],
		},
	],
});
