import { ApiError } from "@svc/sdk/failure";
import { say } from "../../handover/handover.ts";
import { type Context, defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import { managementAs } from "../../kit/context.ts";
import * as takes from "../../kit/line/takes.ts";
import { planAll } from "../../kit/planning.ts";
import { makeCurrent, PROFILE_COLUMNS, type ShownProfile, saveProfile, shownProfile } from "../../profile/change.ts";
import type { Profile } from "../../profile/file.ts";
import {
	checkBound,
	currentName,
	type FoundProfile,
	getProfile,
	isSession,
	listProfiles,
	sameAddress,
} from "../../profile/profile.ts";
import { SUMMARIES } from "../summaries.ts";

const FORGOTTEN = { token: undefined, session: undefined };

export const logout = defineCommand({
	summary: SUMMARIES.logout,
	notes:
		"The profile stays, with its key. A token, unlike a session, is only forgotten: svc tokens delete ends it for everybody.\n" +
		"Secrets that are shown nowhere else are forgotten only after a question, or with --yes.",
	examples: ["svc logout", "svc logout --profile work", "svc logout --all --yes"],
	args: {
		all: takes.flag("Forget the profile's key too"),
		offline: takes.flag("Forget it here without telling the service"),
	},
	async run({ args }, context) {
		const { globals, out, process } = context;
		const found = await getProfile(process, globals.profile);
		checkBound(process, found);
		const { name, path, profile } = found;
		const forgotten = { ...FORGOTTEN, ...(args.all && { api_key: undefined }) };
		const left = shownProfile(name, path, { ...profile, ...forgotten });
		if (globals.dryRun && (profile.token === undefined || !isSession(profile.token) || args.offline))
			await planAll(context, []);
		await confirmLosses(context, found, args.all === true);
		await leave(context, found, args.offline === true);
		await saveProfile({ ...found, baseUrl: profile.base_url }, forgotten);
		if (profile.token === undefined) await say(context, `Nobody was signed in with the profile "${name}".`);
		await chooseAnother(context, found, left);
		await out.record(PROFILE_COLUMNS, left);
	},
});

/** A profile that opens nothing is no use as the current one, where another opens the same service. */
async function chooseAnother(context: Context, { name, profile }: FoundProfile, left: ShownProfile): Promise<void> {
	const { process } = context;
	if (left.holds.length > 0 || ((await currentName(process)) ?? name) !== name) return;
	const all = await listProfiles(process);
	const others = all.filter((other) => other.name !== name && (other.profile.api_key ?? other.profile.token));
	const [same, ...more] = others.filter((other) => sameAddress(other.profile.base_url, profile.base_url));
	if (same !== undefined && more.length === 0) {
		await makeCurrent(process, same.name);
		return await say(context, `The current profile is "${same.name}" now.`);
	}
	const names = others.map((other) => other.name).join(", ");
	if (names !== "")
		await say(context, `"${name}" is still the current profile. Choose another (${names}): svc profile use <name>`);
}

/** Asks before a secret that cannot be shown again is deleted. */
async function confirmLosses(context: Context, { name, profile }: FoundProfile, all: boolean): Promise<void> {
	const token = profile.token !== undefined && !isSession(profile.token) ? ["its token"] : [];
	const key = all && profile.api_key !== undefined ? ["its key"] : [];
	const losses = [...token, ...key].join(" and ");
	if (losses !== "") await confirm(context, `Forget ${losses} in the profile "${name}"? They are shown nowhere else.`);
}

async function leave(context: Context, { profile }: FoundProfile, offline: boolean): Promise<void> {
	const { token } = profile;
	if (token === undefined) return;
	if (isSession(token) && !offline) await endSession(context, profile, token);
	else
		await say(
			context,
			"What is forgotten here goes on working until it expires or is ended: svc sessions delete, svc tokens delete.",
		);
}

async function endSession(context: Context, { base_url: baseUrl }: Profile, token: string): Promise<void> {
	const { sessions } = await managementAs(context, { baseUrl, secret: token });
	try {
		await sessions.delete("current", { signal: context.process.signal });
	} catch (error) {
		// The session has ended already.
		if (!(error instanceof ApiError && error.status === 401)) throw error;
	}
}
