import { EXIT, LocalError, UsageError } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { checkAddress, checkSecret, findProfile, isPersonal, profilePaths } from "../../profile.ts";
import {
	checkName,
	makeCurrent,
	PROFILE_COLUMNS,
	saveProfile,
	shownProfile,
	showProfilePlan,
} from "../../profile-change.ts";
import type { Profile } from "../../profile-file.ts";
import { readStdin } from "../sign-in.ts";

interface Sources {
	readonly "key-stdin"?: boolean | undefined;
	readonly "token-stdin"?: boolean | undefined;
}

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

export const add = defineLeaf({
	summary: "Add a profile for a service",
	notes: "Nothing is sent: svc login --profile <name> signs in with it, svc whoami --profile <name> checks it.",
	examples: [
		"svc profile add staging --base-url https://staging.example.com",
		"svc profile add ci --base-url https://images.example.com --key-stdin",
	],
	args: {
		name: { type: "positional", required: true, description: "Name of the new profile" },
		"base-url": { type: "string", required: true, valueHint: "address", description: "Address of the service" },
		"key-stdin": { type: "boolean", description: "Keep an App's key, read from standard input" },
		"token-stdin": { type: "boolean", description: "Keep a person's token, read from standard input" },
	},
	async run({ args }, context) {
		const { globals, out, world } = context;
		const { name, "base-url": baseUrl } = args;
		checkName(name);
		if (baseUrl === undefined) throw new UsageError("A profile needs an address.", "Add --base-url <address>.");
		checkAddress(baseUrl, "--base-url");
		if ((await findProfile(world, name)) !== undefined)
			throw new LocalError(`There is a profile "${name}" already.`, `svc profile rm ${name}`, EXIT.conflict);
		const [path] = profilePaths(world);
		const kept = globals.dryRun ? {} : await readSecret(context, args);
		const fields = { base_url: baseUrl, app: globals.app, ...kept };
		const shown = shownProfile(name, path, fields);
		if (globals.dryRun) return showProfilePlan(context, shown);
		const before = await findProfile(world, undefined);
		await saveProfile({ name, path, baseUrl }, fields);
		// What was current as a file's only profile stays so.
		const after = await findProfile(world, undefined);
		if (before !== undefined && after?.name !== before.name) await makeCurrent(world, before.name);
		await out.record(PROFILE_COLUMNS, shown);
		return EXIT.ok;
	},
});
