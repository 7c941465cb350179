import { EXIT, type ExitCode, UsageError } from "@svc/base/processes/exit";
import type { VerifiedSession } from "@svc/sdk/shapes";
import type { WithSecret } from "@svc/sdk/types";
import { say } from "../../handover/handover.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { clientAs, managementAs } from "../../kit/context.ts";
import * as takes from "../../kit/line/takes.ts";
import { planAll } from "../../kit/planning.ts";
import { chooseProfile, makeCurrent, type ProfileTarget, saveProfile } from "../../profile/change.ts";
import { checkSecret, findProfile, hasKeySetting, isPersonal, isSession } from "../../profile/profile.ts";
import { SUMMARIES } from "../summaries.ts";
import { IDENTITY_COLUMNS } from "./identity.ts";
import { askFor, checkCodeSource, deviceName, readStdin, SIGNED_IN_COLUMNS, signedIn, verifyCode } from "./sign-in.ts";

interface LoginArgs {
	readonly email?: string | undefined;
	readonly "code-stdin"?: boolean | undefined;
	readonly "key-stdin"?: boolean | undefined;
	readonly "step-up"?: boolean | undefined;
	readonly "base-url"?: string | undefined;
}

/** What a dry run has for a login that was not begun. */
const NOT_BEGUN = { id: "{id}", secret: "{secret}" };

export const login = defineCommand({
	summary: SUMMARIES.login,
	notes:
		"On a terminal: svc login. The code that is mailed is asked for, and the session kept in a profile, which becomes the current\n" +
		"one: the one named by --profile, else the current one, else one named after the address. With --key-stdin an App's key is\n" +
		"checked and kept instead, beside the session. Secrets are in the profile's file only, which nobody else may read.",
	examples: [
		"svc login --email ada@example.com --code-stdin",
		"svc login --base-url https://images.example.com --email ada@example.com --code-stdin",
		"svc login --key-stdin",
		"svc login --step-up --code-stdin",
	],
	args: {
		email: takes.text("Where the code goes; asked for on a terminal", "address"),
		"code-stdin": takes.flag("Read the code from standard input, once it was mailed"),
		"key-stdin": takes.flag("Store an App's key, read from standard input"),
		"step-up": takes.flag("Confirm the session in use by a code, for what operators cannot undo"),
		"base-url": takes.text("Address of the service", "address"),
	},
	async run({ args }, context) {
		checkArgs(args);
		if (args["step-up"]) return stepUp(context, args);
		const { globals, process } = context;
		const target = await chooseProfile(process, globals.profile, args["base-url"]);
		const exit = await (args["key-stdin"] ? withKey(context, target) : byCode(context, target, args));
		if (!globals.dryRun) await warnOfEnvironment(context);
		return exit;
	},
});

function checkArgs(args: LoginArgs): void {
	const ways = [args["key-stdin"] && "--key-stdin", args["step-up"] && "--step-up", args.email && "--email"];
	const [one, other] = ways.filter((way) => typeof way === "string");
	if (other !== undefined) throw new UsageError(`${one} and ${other} exclude each other.`);
	if (args["key-stdin"] && args["code-stdin"]) throw new UsageError("--key-stdin and --code-stdin exclude each other.");
	if (args["step-up"] && args["base-url"]) throw new UsageError("--step-up and --base-url exclude each other.");
}

async function stepUp(context: Context, args: LoginArgs): Promise<ExitCode> {
	const { credentials, globals, management, out, process } = context;
	const fromStdin = args["code-stdin"] === true;
	const { sessions } = await management();
	await planAll(context, [() => sessions.stepUp(), () => sessions.confirm(NOT_BEGUN, "{code}")]);
	checkCodeSource(context, fromStdin);
	const signal = { signal: process.signal };
	const login = await sessions.stepUp(signal);
	const session = await verifyCode(context, login, fromStdin, (code) => sessions.confirm(login, code, signal));
	const { baseUrl, source, session: known } = await credentials();
	const found = await findProfile(process, globals.profile);
	if (found !== undefined && known === session.id)
		await saveProfile({ ...found, baseUrl }, { device_token: session.device_token });
	await out.record(SIGNED_IN_COLUMNS, signedIn(session, found?.name ?? source, baseUrl));
	return EXIT.ok;
}

async function withKey(context: Context, target: ProfileTarget): Promise<ExitCode> {
	const { out, process } = context;
	const { name, baseUrl, profile } = target;
	// It would be read and kept.
	await planAll(context, []);
	const apiKey = await readStdin(context, "an App's key");
	checkSecret(apiKey, "standard input");
	if (isPersonal(apiKey))
		throw new UsageError("That is a person's token, not an App's key.", "svc profile create <name> --token-stdin");
	const client = await clientAs(context, { baseUrl, secret: apiKey });
	const key = await client.key.get({ signal: process.signal });
	if (profile.api_key !== undefined && profile.api_key !== apiKey)
		await confirm(context, `The profile "${name}" holds another key, which is shown nowhere else. Replace it?`);
	await saveProfile(target, { api_key: apiKey, app: key.app.id });
	await makeCurrent(process, name);
	await out.record(IDENTITY_COLUMNS, {
		...key,
		base_url: baseUrl,
		source: `profile "${name}" (${target.path})`,
		account: null,
		session: null,
	});
	return EXIT.ok;
}

async function byCode(context: Context, target: ProfileTarget, args: LoginArgs): Promise<ExitCode> {
	const { globals, out, process } = context;
	const { profile, baseUrl } = target;
	const client = deviceName();
	if (globals.dryRun) await planLogin(context, target, args.email);
	const fromStdin = args["code-stdin"] === true;
	const email = args.email ?? (await askFor(context, `E-mail address for ${baseUrl}: `, "--email"));
	checkCodeSource(context, fromStdin);
	await confirmReplacing(context, target);
	const { sessions } = await managementAs(context, { baseUrl, secret: null });
	const signal = { signal: process.signal };
	// Another person's device is not known.
	const deviceToken = profile.email?.toLowerCase() === email.toLowerCase() ? profile.device_token : undefined;
	const login = await sessions.login(email, { client, deviceToken }, signal);
	const made = await verifyCode(context, login, fromStdin, (code) => sessions.verify(login, code, signal));
	await keep(context, target, made);
	await out.record(SIGNED_IN_COLUMNS, signedIn(made, target.name, baseUrl));
	return EXIT.ok;
}

/** @throws what ends a dry run */
async function planLogin(context: Context, { baseUrl, profile }: ProfileTarget, email = "{email}"): Promise<void> {
	const { token } = profile;
	const { sessions } = await managementAs(context, { baseUrl, secret: null });
	const before =
		token !== undefined && isSession(token) ? await managementAs(context, { baseUrl, secret: token }) : undefined;
	await planAll(context, [
		() => sessions.login(email, { client: deviceName() }),
		() => sessions.verify(NOT_BEGUN, "{code}"),
		...(before === undefined ? [] : [() => before.sessions.delete()]),
	]);
}

async function confirmReplacing(context: Context, { name, profile }: ProfileTarget): Promise<void> {
	// A session is made anew with a code; a token cannot be.
	if (profile.token === undefined || isSession(profile.token)) return;
	await confirm(context, `The profile "${name}" holds a token, which is shown nowhere else. Replace it by a session?`);
}

async function keep(context: Context, target: ProfileTarget, made: VerifiedSession & WithSecret): Promise<void> {
	const { secret, device_token, id, account } = made;
	try {
		await saveProfile(target, { token: secret, session: id, device_token, email: account.email });
	} catch (error) {
		await endSession(context, target.baseUrl, secret);
		throw error;
	}
	const { token } = target.profile;
	if (token !== undefined && isSession(token)) await endSession(context, target.baseUrl, token);
	// Last: the session is kept and works, whichever profile is the current one.
	await makeCurrent(context.process, target.name);
}

/** A session whose secret is forgotten cannot be used any more, so it is ended. */
async function endSession(context: Context, baseUrl: string, secret: string): Promise<void> {
	const { sessions } = await managementAs(context, { baseUrl, secret });
	await sessions.delete("current", { retries: 0, signal: context.process.signal }).catch(() => undefined);
}

/** Warns that `SVC_API_KEY` is set, so that the stored secret would not be used. */
async function warnOfEnvironment(context: Context): Promise<void> {
	const { globals, process } = context;
	if (hasKeySetting(process) && globals.profile === undefined)
		await say(
			context,
			"SVC_API_KEY is set and goes first wherever a key is enough: unset it, or name the profile with --profile.",
		);
}
