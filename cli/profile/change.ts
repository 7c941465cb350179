import { EXIT, type ExitCode, LocalError, UsageError } from "@svc/base/processes/exit";
import { say } from "../handover/handover.ts";
import type { Context } from "../kit/command.ts";
import { type Column, fields } from "../kit/output/table.ts";
import { changeProfileFile, type Profile } from "./file.ts";
import {
	baseUrlSetting,
	checkAddress,
	currentName,
	DEFAULT_BASE_URL,
	type FoundProfile,
	findProfile,
	isSession,
	type Machine,
	profilePaths,
	sameAddress,
} from "./profile.ts";

/** A profile that exists or will be made. */
export interface ProfileTarget {
	readonly name: string;
	readonly path: string;
	readonly baseUrl: string;
	/** The fields that it has by now. */
	readonly profile: Partial<Profile>;
}

/** A profile without its secrets. */
export interface ShownProfile {
	readonly name: string;
	readonly base_url: string;
	readonly app: string | null;
	readonly email: string | null;
	/** Which secrets it has: an App's key, a person's session or token. */
	readonly holds: readonly ("key" | "session" | "token")[];
	readonly file: string;
}

export const PROFILE_COLUMNS: readonly Column<ShownProfile>[] = [
	...fields("name", "base_url", "app", "email"),
	{ name: "holds", value: (profile) => profile.holds.join(",") },
	{ name: "file", value: (profile) => profile.file, shrinks: true },
];

/** @throws UsageError */
export function checkName(name: string): void {
	if (/^[^\s\p{C}-][^\s\p{C}]{0,99}$/u.test(name)) return;
	throw new UsageError("A profile's name has 1 to 100 characters, no spaces, and no dash in front.");
}

/**
 * The profile to sign in with: the one that is named, else the current one where no other address is given, else that of the
 * address's host. A new one goes into the first of the files.
 * @throws LocalError when the profile is for another address
 */
export async function chooseProfile(
	machine: Machine,
	wanted: string | undefined,
	askedAddress: string | undefined,
): Promise<ProfileTarget> {
	const address = readAddress(machine, askedAddress);
	if (wanted !== undefined) return namedProfile(machine, wanted, address);
	const current = await findProfile(machine, undefined);
	if (current !== undefined && fits(current, address)) return targetOf(current);
	const baseUrl = address ?? DEFAULT_BASE_URL;
	return namedProfile(machine, new URL(baseUrl).host, baseUrl);
}

function readAddress(machine: Machine, asked: string | undefined): string | undefined {
	const address = asked ?? baseUrlSetting(machine);
	if (address !== undefined) checkAddress(address, asked === undefined ? "SVC_BASE_URL" : "--base-url");
	return address;
}

/** The one of that name, made if need be. @throws LocalError when it is for another address */
async function namedProfile(machine: Machine, name: string, address: string | undefined): Promise<ProfileTarget> {
	checkName(name);
	const found = await findProfile(machine, name);
	if (found !== undefined) {
		if (fits(found, address)) return targetOf(found);
		throw refuseAddress(found, address ?? "");
	}
	if (address !== undefined) return { name, path: profilePaths(machine)[0], baseUrl: address, profile: {} };
	throw new UsageError(`There is no profile "${name}" yet.`, "Say where it leads: --base-url <address>");
}

function fits({ profile }: FoundProfile, address: string | undefined): boolean {
	return address === undefined || sameAddress(profile.base_url, address);
}

function targetOf({ name, path, profile }: FoundProfile): ProfileTarget {
	return { name, path, profile, baseUrl: profile.base_url };
}

function refuseAddress({ name, profile }: FoundProfile, address: string): LocalError {
	return new LocalError(
		`The profile "${name}" is for ${profile.base_url}, not for ${address}: what it holds goes nowhere else.`,
		"Name another profile with --profile.",
		EXIT.conflict,
	);
}

/** Sets fields of a profile and makes it if need be; undefined takes a field away, the others stay as they are. */
export async function saveProfile(
	{ name, path, baseUrl }: Pick<ProfileTarget, "name" | "path" | "baseUrl">,
	fields: Partial<Profile>,
): Promise<void> {
	await changeProfileFile(path, (file) => {
		const before = Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
		return { ...file, profiles: { ...file.profiles, [name]: { base_url: baseUrl, ...before, ...fields } } };
	});
}

/** The first file says which profile is current, wherever that one is. */
export async function makeCurrent(machine: Machine, name: string): Promise<void> {
	if ((await currentName(machine)) === name) return;
	await changeProfileFile(profilePaths(machine)[0], (file) => ({ ...file, current: name }));
}

/** Removes a profile with all of its fields. */
export async function removeProfile({ name, path }: Pick<FoundProfile, "name" | "path">): Promise<void> {
	await changeProfileFile(path, (file) => ({
		...file,
		profiles: Object.fromEntries(Object.entries(file.profiles).filter(([known]) => known !== name)),
		current: file.current === name ? undefined : file.current,
	}));
}

export function shownProfile(name: string, path: string, profile: Profile): ShownProfile {
	const { base_url, app = null, email = null, api_key, token } = profile;
	const kind = token !== undefined && isSession(token) ? ("session" as const) : ("token" as const);
	const holds = [...(api_key === undefined ? [] : ["key" as const]), ...(token === undefined ? [] : [kind])];
	return { name, base_url, app, email, holds, file: path };
}

/** Shows for `--dry-run` what the profile would be. */
export async function showProfileDryRun(context: Context, shown: ShownProfile): Promise<ExitCode> {
	await say(context, "Nothing is changed. The profile would be:");
	await context.out.record(PROFILE_COLUMNS, shown);
	return EXIT.ok;
}
