import { confirm } from "../../confirm.ts";
import { appOfKey, clientAs } from "../../context.ts";
import { EXIT, LocalError } from "../../exit.ts";
import { checkIds } from "../../ids.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { checkAddress, type FoundProfile, getProfile, sameAddress } from "../../profile.ts";
import { saveProfile, shownProfile, showProfilePlan } from "../../profile-change.ts";
import { readName, SETTING_COLUMNS, SETTING_NAMES, settingOf } from "./settings.ts";

/** A key goes to the address that it was given for; another one is a decision. */
async function confirmMove(context: Context, { name, profile }: FoundProfile, baseUrl: string): Promise<void> {
	const holdsNothing = profile.api_key === undefined && profile.token === undefined;
	if (holdsNothing || sameAddress(profile.base_url, baseUrl)) return;
	await confirm(
		context,
		`From now on, what the profile "${name}" holds is sent to ${baseUrl}. Is that the same service?`,
	);
}

/** A key is of one App: with another one as a rule, commands about images would go elsewhere than is said. */
async function checkKey(context: Context, { name, profile }: FoundProfile, app: string): Promise<void> {
	const { base_url: baseUrl, api_key: secret } = profile;
	if (secret === undefined) return;
	const own = await appOfKey(await clientAs(context, { baseUrl, secret }), context.world.signal);
	if (own === app) return;
	throw new LocalError(
		`The profile "${name}" holds a key of the App ${own}, which images are about.`,
		`svc profile add <name> --base-url ${baseUrl} --app ${app} --token-stdin; or name the App with --app.`,
		EXIT.conflict,
	);
}

function checkValue(name: string, value: string): void {
	if (name === "base_url") checkAddress(value, "base_url");
	else if (value !== "") checkIds("<value>", "id", value);
}

export const set = defineLeaf({
	summary: "Change a setting of a profile",
	notes:
		"Of the current profile, or the one named by --profile. An empty value takes the App away: svc config set app ''",
	examples: ["svc config set app app_1", "svc config set base_url https://images.example.com --yes"],
	args: {
		name: { type: "positional", required: true, description: SETTING_NAMES.join(" or ") },
		value: { type: "positional", required: true, description: "The new value" },
	},
	async run({ args }, context) {
		const { globals, out, world } = context;
		const name = readName(args.name);
		checkValue(name, args.value);
		const found = await getProfile(world, globals.profile);
		const value = args.value === "" ? undefined : args.value;
		const profile = { ...found.profile, [name]: value };
		if (globals.dryRun) return showProfilePlan(context, shownProfile(found.name, found.path, profile));
		if (name === "base_url") await confirmMove(context, found, args.value);
		else if (value !== undefined) await checkKey(context, found, value);
		await saveProfile({ ...found, baseUrl: found.profile.base_url }, { [name]: value });
		await out.record(SETTING_COLUMNS, settingOf({ ...found, profile }, name));
		return EXIT.ok;
	},
});
