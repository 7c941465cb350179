import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { THEME_NAMES } from "@svc/tui/state/theme";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { appOfKey, clientAs } from "../../kit/context.ts";
import { didYouMean, oneOf } from "../../kit/line/choice.ts";
import { checkIds } from "../../kit/line/ids.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import { saveProfile, shownProfile, showProfileDryRun } from "../../profile/change.ts";
import { checkAddress, type FoundProfile, getProfile, sameAddress } from "../../profile/profile.ts";

/** The App that is meant unless `--app` says otherwise, the address of the service, and the colours of the dashboard. */
const SETTING_NAMES = ["app", "base_url", "theme"] as const;

type SettingName = (typeof SETTING_NAMES)[number];

interface Setting {
	readonly name: SettingName;
	readonly value: string | null;
	readonly profile: string;
}

const SETTING_COLUMNS: readonly Column<Setting>[] = [...fields("name", "value", "profile")];

const get = defineCommand({
	summary: "Show the settings of a profile",
	notes: `Of the current profile, or the one named by --profile. ${pipeNote(SETTING_COLUMNS)}`,
	examples: ["svc config get", "svc config get app --field value"],
	args: {},
	rest: { name: "name", description: `${SETTING_NAMES.join(", ")}; default: all`, required: false },
	async run({ rest }, { globals, out, process }) {
		const names = rest.length === 0 ? SETTING_NAMES : rest.map(readName);
		const found = await getProfile(process, globals.profile);
		await out.rows(
			SETTING_COLUMNS,
			names.map((name) => settingOf(found, name)),
		);
	},
});

const set = defineCommand({
	summary: "Change a setting of a profile",
	notes:
		"Of the current profile, or the one named by --profile. An empty value takes the App or the theme away: svc config set app ''",
	examples: [
		"svc config set app app_1",
		"svc config set theme light",
		"svc config set base_url https://images.example.com --yes",
	],
	args: {
		name: takes.word(SETTING_NAMES.join(", ")),
		value: takes.word("The new value"),
	},
	mayBeEmpty: ["value"],
	async run({ args }, context) {
		const { globals, out, process } = context;
		const name = readName(args.name);
		checkValue(name, args.value);
		const found = await getProfile(process, globals.profile);
		const value = args.value === "" ? undefined : args.value;
		const profile = { ...found.profile, [name]: value };
		if (globals.dryRun) return showProfileDryRun(context, shownProfile(found.name, found.path, profile));
		if (name === "base_url") await confirmMove(context, found, args.value);
		else if (name === "app" && value !== undefined) await checkKey(context, found, value);
		await saveProfile({ ...found, baseUrl: found.profile.base_url }, { [name]: value });
		await out.record(SETTING_COLUMNS, settingOf({ ...found, profile }, name));
		return EXIT.ok;
	},
});

export const CONFIG_COMMANDS = { get, set };

/** @throws UsageError */
function readName(word: string): SettingName {
	const name = SETTING_NAMES.find((known) => known === word);
	if (name !== undefined) return name;
	throw new UsageError(`There is no setting "${word}".${didYouMean(word, SETTING_NAMES)}`, "svc config get");
}

function settingOf({ name: profile, profile: fields }: FoundProfile, name: SettingName): Setting {
	return { name, value: fields[name] ?? null, profile };
}

function checkValue(name: string, value: string): void {
	if (name === "base_url") checkAddress(value, "base_url");
	else if (value === "") return;
	else if (name === "theme") oneOf("theme", value, THEME_NAMES);
	else checkIds("<value>", "id", value);
}

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
	const own = await appOfKey(await clientAs(context, { baseUrl, secret }), context.process.signal);
	if (own === app) return;
	throw new LocalError(
		`The profile "${name}" holds a key of the App ${own}, which images are about.`,
		`svc profile create <name> --base-url ${baseUrl} --app ${app} --token-stdin; or name the App with --app.`,
		EXIT.conflict,
	);
}
