import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { say } from "../../handover/handover.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { type Column, fields, pipeNote } from "../../kit/output/table.ts";
import {
	checkName,
	makeCurrent,
	PROFILE_COLUMNS,
	removeProfile,
	type ShownProfile,
	saveProfile,
	shownProfile,
	showProfileDryRun,
} from "../../profile/change.ts";
import type { Profile } from "../../profile/file.ts";
import {
	checkAddress,
	checkSecret,
	findProfile,
	getProfile,
	hasKeySetting,
	isPersonal,
	listProfiles,
	profilePaths,
} from "../../profile/profile.ts";
import { readStdin } from "./sign-in.ts";

type Listed = ShownProfile & { readonly current: boolean };

const LISTED_COLUMNS: readonly Column<Listed>[] = [...PROFILE_COLUMNS, ...fields("current")];

const list = defineCommand({
	summary: "List the profiles of this machine",
	notes: `${pipeNote(LISTED_COLUMNS)} No secret is shown.`,
	examples: ["svc profile list", "svc profile list --field name"],
	args: {},
	async run(_given, context) {
		const { out, process } = context;
		const current = (await findProfile(process, undefined))?.name;
		const profiles = await listProfiles(process);
		await out.rows(
			LISTED_COLUMNS,
			profiles.map(({ name, path, profile }) => ({ ...shownProfile(name, path, profile), current: name === current })),
		);
		if (profiles.length === 0) await say(context, "There is none yet: svc login");
	},
});

const use = defineCommand({
	summary: "Make a profile the current one",
	examples: ["svc profile use work"],
	args: { name: takes.word("Name of the profile") },
	async run({ args }, context) {
		const { globals, out, process } = context;
		const { name, path, profile } = await getProfile(process, args.name);
		const shown = shownProfile(name, path, profile);
		if (globals.dryRun) return showProfileDryRun(context, shown);
		await makeCurrent(process, name);
		await out.record(PROFILE_COLUMNS, shown);
		if (hasKeySetting(process)) await say(context, "SVC_API_KEY is set and goes first wherever a key is enough.");
		return EXIT.ok;
	},
});

interface Sources {
	readonly "key-stdin"?: boolean | undefined;
	readonly "token-stdin"?: boolean | undefined;
}

const add = defineCommand({
	summary: "Add a profile for a service",
	notes: "Nothing is sent: svc login --profile <name> signs in with it, svc whoami --profile <name> checks it.",
	examples: [
		"svc profile create staging --base-url https://staging.example.com",
		"svc profile create ci --base-url https://images.example.com --key-stdin",
	],
	args: {
		name: takes.word("Name of the new profile"),
		"base-url": { ...takes.text("Address of the service", "address"), required: true },
		"key-stdin": takes.flag("Keep an App's key, read from standard input"),
		"token-stdin": takes.flag("Keep a person's token, read from standard input"),
	},
	async run({ args }, context) {
		const { globals, out, process } = context;
		const { name, "base-url": baseUrl } = args;
		checkName(name);
		if (baseUrl === undefined) throw new UsageError("A profile needs an address.", "Add --base-url <address>.");
		checkAddress(baseUrl, "--base-url");
		if ((await findProfile(process, name)) !== undefined)
			throw new LocalError(`There is a profile "${name}" already.`, `svc profile delete ${name}`, EXIT.conflict);
		const [path] = profilePaths(process);
		const kept = globals.dryRun ? {} : await readSecret(context, args);
		const fields = { base_url: baseUrl, app: globals.app, ...kept };
		const shown = shownProfile(name, path, fields);
		if (globals.dryRun) return showProfileDryRun(context, shown);
		const before = await findProfile(process, undefined);
		await saveProfile({ name, path, baseUrl }, fields);
		// A profile that was current as the file's only one stays current.
		const after = await findProfile(process, undefined);
		if (before !== undefined && after?.name !== before.name) await makeCurrent(process, before.name);
		await out.record(PROFILE_COLUMNS, shown);
		return EXIT.ok;
	},
});

const rm = defineCommand({
	summary: "Remove a profile and forget what it holds",
	notes: "Nothing is sent: a session goes on until it expires; svc logout --profile <name> ends it first.",
	examples: ["svc profile delete work --yes"],
	args: { name: takes.word("Name of the profile") },
	async run({ args }, context) {
		const found = await getProfile(context.process, args.name);
		const shown = shownProfile(found.name, found.path, found.profile);
		if (context.globals.dryRun) {
			await context.out.note("The profile would be removed.");
			return showProfileDryRun(context, { ...shown, holds: [] });
		}
		const held = shown.holds.length === 0 ? "" : ` with its ${shown.holds.join(" and ")}`;
		await confirm(context, `Remove the profile "${found.name}"${held}?`);
		await removeProfile(found);
		await context.out.record(PROFILE_COLUMNS, { ...shown, holds: [] });
		return EXIT.ok;
	},
});

export const PROFILE_COMMANDS = { list, use, create: add, delete: rm };

async function readSecret(context: Context, sources: Sources): Promise<Partial<Profile>> {
	const wantsKey = sources["key-stdin"] === true;
	const wantsToken = sources["token-stdin"] === true;
	if (wantsKey && context.globals.app !== undefined)
		throw new UsageError("A key belongs to one App; --app goes with a person's token.");
	if (wantsKey && wantsToken) throw new UsageError("--key-stdin and --token-stdin exclude each other.");
	if (!wantsKey && !wantsToken) return {};
	const secret = await readStdin(context, wantsKey ? "an App's key" : "a person's token");
	checkSecret(secret, "standard input");
	if (isPersonal(secret) === wantsKey)
		throw new UsageError(`That is ${wantsKey ? "a person's token, not an App's key" : "no person's token"}.`);
	return wantsKey ? { api_key: secret } : { token: secret };
}
