import type { AppProfile } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { UsageError } from "../../kit/exit.ts";
import { changeApp } from "./change.ts";
import { APP_ID } from "./columns.ts";

/** The field of a profile that each option sets. */
const FIELDS = {
	developer: "developer",
	homepage: "homepage_url",
	privacy: "privacy_url",
	terms: "terms_url",
	"support-email": "support_email",
	logo: "logo_image_id",
	accent: "accent_color",
} as const satisfies Readonly<Record<string, keyof AppProfile>>;

export const setProfile = defineCommand({
	summary: "Say who is behind an App, to the people who sign in to it and pay it",
	notes: "What is not named stays as it is; an empty text clears it: --terms ''",
	examples: [
		"svc apps set-profile app_1 --developer 'Ada Press' --homepage https://example.com",
		"svc apps set-profile app_1 --logo img_1 --accent '#1f6feb' --terms '' --field profile",
	],
	args: {
		...APP_ID,
		developer: { type: "string", valueHint: "name", description: "Who makes it" },
		homepage: { type: "string", valueHint: "url", description: "Its own pages, https" },
		privacy: { type: "string", valueHint: "url", description: "Its privacy policy, https" },
		terms: { type: "string", valueHint: "url", description: "Its terms, https" },
		"support-email": { type: "string", valueHint: "address", description: "Where people get help" },
		logo: { type: "string", valueHint: "id", description: "An image of the App's own storage" },
		accent: { type: "string", valueHint: "#rrggbb", description: "The colour of its buttons and links" },
	},
	run({ args }, context) {
		const { id } = args;
		const profile: Partial<Record<keyof AppProfile, string | null>> = {};
		for (const [option, field] of Object.entries(FIELDS)) {
			const value = args[option as keyof typeof FIELDS];
			if (value !== undefined) profile[field] = value === "" ? null : value;
		}
		if (Object.keys(profile).length === 0) throw new UsageError("Name what is to change, as --developer.");
		return changeApp(context, {
			advice: { validation_error: "See what the App's own storage holds: svc images list --app <id>" },
			send: (apps, options) => apps.edit(id, { profile }, options),
		});
	},
});
