import { APP_SETTINGS } from "@svc/nouns/app";
import type { Setting } from "@svc/nouns/setting";
import type { AppChanges } from "@svc/sdk/management";
import type { Command } from "../../kit/command.ts";
import type { Advice } from "../../kit/refusal.ts";
import { optionsOf, readSettings } from "../../kit/settings.ts";
import { changesApp } from "./change.ts";

const LOGO_ADVICE = { validation_error: "See what the App's own storage holds: svc images list --app <id>" };
const OWNER_ADVICE = { forbidden: "Only the Owner may; see who that is: svc members list --app <id>" };
const isOfProfile = ({ name }: Setting) => name.startsWith("profile.");
const isOfSale = ({ name }: Setting) => name.startsWith("tax.") || name === "promotion_codes";

/** Whatever can be set of an App, or a part of that. */
function editing(
	settings: readonly Setting[],
	advice: Advice,
	described: Pick<Command, "summary" | "notes" | "examples">,
): Command {
	return changesApp({
		...described,
		advice,
		args: optionsOf(settings),
		changes: (args): AppChanges => readSettings(settings, args),
	});
}

export const edit = editing(
	APP_SETTINGS,
	{ ...LOGO_ADVICE, ...OWNER_ADVICE },
	{
		summary: "Change whatever can be set of an App",
		notes:
			"What is not named stays as it is; an empty text clears a field of its profile: --terms ''. The Owner alone: tax and promotion codes.",
		examples: [
			"svc apps edit app_1 --name 'My pictures' --sign-in on --delivery presets",
			"svc apps edit app_1 --free-images 20 --free-bytes none --field free_limits",
		],
	},
);

export const setProfile = editing(APP_SETTINGS.filter(isOfProfile), LOGO_ADVICE, {
	summary: "Say who is behind an App, to the people who sign in to it and pay it",
	notes: "What is not named stays as it is; an empty text clears it: --terms ''",
	examples: [
		"svc apps set-profile app_1 --developer 'Ada Press' --homepage https://example.com",
		"svc apps set-profile app_1 --logo img_1 --accent '#1f6feb' --terms '' --field profile",
	],
});

export const setSale = editing(APP_SETTINGS.filter(isOfSale), OWNER_ADVICE, {
	summary: "Set the tax of what an App sells, and whether its buyers may enter promotion codes",
	notes:
		"It holds for what is bought from now on: what was bought before keeps its own. The Owner alone may change it. Promotion codes are the\n" +
		"payment processor's own; the simulated one has none.",
	examples: [
		"svc apps set-sale app_1 --tax automatic --tax-behavior inclusive",
		"svc apps set-sale app_1 --promotion-codes on --field promotion_codes",
	],
});
