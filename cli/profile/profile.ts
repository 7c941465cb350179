import { EXIT, LocalError } from "@svc/base/processes/exit";
import { isId } from "../kit/line/ids.ts";
import type { Process } from "../kit/process.ts";
import { type Profile, readProfileFile } from "./file.ts";
import { below, resolved } from "./paths.ts";

export interface Credentials {
	readonly baseUrl: string;
	/** An App's key; undefined where only a person has signed in. */
	readonly apiKey: string | undefined;
	/** A person's token, for what is not an App's: the management API. One of the two is always there. */
	readonly token: string | undefined;
	/** The App that is meant unless a command says otherwise. */
	readonly app: string | undefined;
	/** Id of the session that the token is the secret of, where it is known. */
	readonly session: string | undefined;
	/** The origin of the key, in words. */
	readonly source: string;
}

/** The parts of the process that locate the profiles. */
export type Machine = Pick<Process, "env" | "cwd" | "home" | "checkout">;

/** A profile and the file that it is in. */
export interface FoundProfile {
	readonly name: string;
	readonly path: string;
	readonly profile: Profile;
}

export const DEFAULT_BASE_URL = "http://localhost:3000";

/** Whether `SVC_API_KEY` holds something: then it goes before what is kept, wherever a key is enough, unless a profile is named. */
export function hasKeySetting(machine: Machine): boolean {
	return setting(machine, "SVC_API_KEY") !== undefined;
}

/** Blank is the same as unset, as shells and container files write it. */
function setting(machine: Machine, name: string): string | undefined {
	const value = machine.env[name]?.trim();
	return value === "" ? undefined : value;
}

/** The value of `SVC_BASE_URL`. */
export function baseUrlSetting(machine: Machine): string | undefined {
	return setting(machine, "SVC_BASE_URL");
}

/** The profile files in the order in which they are read. The service writes the last ones at its first start. */
export function profilePaths(machine: Machine): readonly [string, ...string[]] {
	const given = setting(machine, "SVC_PROFILE_FILE");
	if (given !== undefined) return [resolved(machine.cwd, given)];
	const config = setting(machine, "XDG_CONFIG_HOME") ?? below(machine.home, ".config");
	const own = below(resolved(machine.cwd, config), "svc", "profiles.json");
	const paths = dataDirs(machine).map((folder) => below(folder, "profiles.json"));
	return [own, ...new Set(paths.filter((path) => path !== own))];
}

/** Where a service on this machine may keep what it has. */
export function dataDirs(machine: Machine): readonly string[] {
	const dataDir = setting(machine, "SVC_DATA_DIR");
	const served =
		dataDir === undefined ? [machine.cwd, machine.checkout].map((root) => root && below(root, "data")) : [dataDir];
	return served.filter((folder) => folder !== undefined).map((folder) => resolved(machine.cwd, folder));
}

/**
 * The profile of that name, or the current one, which may be in a later file than the one that says so; without a word about it a
 * file's only profile is meant. Files are read as far as needed: a broken one in some folder does not stop a profile of one's own.
 */
export async function findProfile(machine: Machine, wanted: string | undefined): Promise<FoundProfile | undefined> {
	let meant = wanted;
	for (const path of profilePaths(machine)) {
		const file = await readProfileFile(path);
		if (file === undefined) continue;
		meant ??= file.current;
		const [only, ...others] = Object.keys(file.profiles);
		const name = meant ?? (others.length === 0 ? only : undefined);
		const profile = name !== undefined && Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
		if (profile !== undefined && name !== undefined) return { name, path, profile };
	}
	return undefined;
}

/** The name that a file gives as the current profile's; undefined where none does. */
export async function currentName(machine: Machine): Promise<string | undefined> {
	for (const path of profilePaths(machine)) {
		const file = await readProfileFile(path);
		if (file?.current !== undefined) return file.current;
	}
	return undefined;
}

/** Every profile of this machine; of those with the same name the one that is used. @throws LocalError */
export async function listProfiles(machine: Machine): Promise<readonly FoundProfile[]> {
	const all = new Map<string, FoundProfile>();
	for (const path of profilePaths(machine)) {
		const { profiles = {} } = (await readProfileFile(path)) ?? {};
		for (const [name, profile] of Object.entries(profiles)) {
			if (!all.has(name)) all.set(name, { name, path, profile });
		}
	}
	return [...all.values()];
}

/** @throws LocalError that says where it was looked for */
export async function getProfile(machine: Machine, wanted: string | undefined): Promise<FoundProfile> {
	const found = await findProfile(machine, wanted);
	if (found !== undefined) return found;
	const what = wanted === undefined ? "There is no current profile." : `There is no profile "${wanted}".`;
	throw refuse(`${what} Looked at ${profilePaths(machine).join(", ")}.`, "See what there is: svc profile list");
}

function refuse(message: string, next: string): LocalError {
	return new LocalError(message, next, EXIT.auth);
}

export function sameAddress(one: string, other: string): boolean {
	return one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}

/** @throws LocalError */
export function checkAddress(baseUrl: string, source: string): void {
	const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
	// A name and password would be sent along, and shown wherever the address is.
	const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
	if (isPlain && (url.protocol === "http:" || url.protocol === "https:")) return;
	throw new LocalError(
		`The address in ${source} is not an http address without a name, password, query or fragment.`,
		"Write it like https://images.example.com",
		EXIT.usage,
	);
}

/** Whether a secret is a person's session, which a code makes anew, and not a token. */
export function isSession(secret: string): boolean {
	return secret.startsWith("svc_ses_");
}

/** Whether a secret is a person's session or token rather than an App's key. */
export function isPersonal(secret: string): boolean {
	return isSession(secret) || secret.startsWith("svc_pat_");
}

/** @throws LocalError, which does not show it */
export function checkSecret(secret: string, source: string): void {
	if (/^[\x21-\x7e]+$/.test(secret)) return;
	throw refuse(
		`The key of ${source} is empty or holds characters that no key has.`,
		"Copy it again; it is not shown here.",
	);
}

/** A profile's secret is sent to the profile's own address only. @throws LocalError where `SVC_BASE_URL` is another one */
export function checkBound(machine: Machine, { name, profile }: FoundProfile): void {
	const baseUrl = baseUrlSetting(machine);
	if (baseUrl === undefined || sameAddress(baseUrl, profile.base_url)) return;
	// Both are shown below: neither may hold a password.
	checkAddress(baseUrl, "SVC_BASE_URL");
	checkAddress(profile.base_url, `profile "${name}"`);
	throw refuse(
		`SVC_BASE_URL is ${baseUrl}, and the profile "${name}" is for ${profile.base_url}: its key goes nowhere else.`,
		"Unset SVC_BASE_URL, or set SVC_API_KEY to a key of that address.",
	);
}

/**
 * The key to use and the only address it is sent to. A profile named on the command line wins over the environment, the
 * environment over the current profile, which then only says who is signed in at the same address.
 * @throws LocalError with the remedy
 */
export async function readCredentials(machine: Machine, wanted: string | undefined): Promise<Credentials> {
	const apiKey = setting(machine, "SVC_API_KEY");
	if (apiKey !== undefined && wanted === undefined) {
		const own = ofEnvironment(apiKey, baseUrlSetting(machine) ?? DEFAULT_BASE_URL);
		return own.token === undefined ? { ...own, ...(await personAt(machine, own.baseUrl)) } : own;
	}
	const found = await findProfile(machine, wanted);
	if (found === undefined) {
		const what = wanted === undefined ? "There is no key to use." : `There is no profile "${wanted}".`;
		throw refuse(
			`${what} Looked at SVC_API_KEY and ${profilePaths(machine).join(", ")}.`,
			"Sign in (svc login), choose a profile (svc profile list), or set SVC_API_KEY, and SVC_BASE_URL unless it is local.",
		);
	}
	checkBound(machine, found);
	return ofProfile(found);
}

/**
 * Who is signed in with the current profile, where that is for this address: what an App's key cannot do is done as that person. A file
 * that cannot be read does not stop a program that has its key.
 */
async function personAt(machine: Machine, baseUrl: string): Promise<Partial<Credentials>> {
	const found = await findProfile(machine, undefined).catch(() => undefined);
	if (found === undefined || !sameAddress(found.profile.base_url, baseUrl)) return {};
	const { token, session } = found.profile;
	return token !== undefined && isPersonal(token) ? { token, session } : {};
}

function ofEnvironment(apiKey: string, baseUrl: string): Credentials {
	const source = "SVC_API_KEY";
	checkAddress(baseUrl, "SVC_BASE_URL");
	checkSecret(apiKey, source);
	const secrets = isPersonal(apiKey) ? { apiKey: undefined, token: apiKey } : { apiKey, token: undefined };
	return { baseUrl, ...secrets, app: undefined, session: undefined, source };
}

function ofProfile({ name, path, profile }: FoundProfile): Credentials {
	const { base_url: baseUrl, api_key: apiKey, token, app, session } = profile;
	const source = `profile "${name}" (${path})`;
	checkAddress(baseUrl, source);
	if (app !== undefined && !isId(app)) {
		throw refuse(`The App of ${source} is not an id.`, `svc config set app <id> --profile ${name}`);
	}
	if (apiKey === undefined && token === undefined) {
		throw refuse(`The profile "${name}" has no key, and nobody is signed in with it.`, `svc login --profile ${name}`);
	}
	for (const secret of [apiKey, token]) {
		if (secret !== undefined) checkSecret(secret, source);
	}
	return { baseUrl, apiKey, token, app, session, source };
}
