import { readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { EXIT, LocalError } from "./exit.ts";
import type { World } from "./world.ts";

export interface Credentials {
	readonly baseUrl: string;
	readonly apiKey: string;
	/** A person's token, for what is not an App's: the management API. */
	readonly token: string | undefined;
	/** The App that is meant unless a command says otherwise. */
	readonly app: string | undefined;
	/** Where the key comes from, for people. */
	readonly source: string;
}

interface Profile {
	readonly base_url: string;
	readonly api_key: string;
	readonly token?: string;
	readonly app?: string;
}

interface ProfileFile {
	readonly profiles: Readonly<Record<string, Profile>>;
	readonly current: string | undefined;
}

type Place = Pick<World, "env" | "cwd" | "home" | "checkout">;

const DEFAULT_BASE_URL = "http://localhost:3000";
const OTHERS_MAY = 0o077;

function refuse(message: string, next: string): LocalError {
	return new LocalError(message, next, EXIT.auth);
}

/** Blank is the same as unset, as shells and container files write it. */
function setting(place: Place, name: string): string | undefined {
	const value = place.env[name]?.trim();
	return value === "" ? undefined : value;
}

/** In the order in which they are looked at. The last ones are what the service writes at its first start. */
export function profilePaths(place: Place): readonly string[] {
	const given = setting(place, "SVC_PROFILE_FILE");
	if (given !== undefined) return [resolve(place.cwd, given)];
	const config = setting(place, "XDG_CONFIG_HOME") ?? join(place.home, ".config");
	const dataDir = setting(place, "SVC_DATA_DIR");
	const served =
		dataDir === undefined ? [place.cwd, place.checkout].map((root) => root && join(root, "data")) : [dataDir];
	const folders = [join(config, "svc"), ...served.filter((folder) => folder !== undefined)];
	return [...new Set(folders.map((folder) => resolve(place.cwd, folder, "profiles.json")))];
}

function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Text of a file that only its owner can read; undefined when there is none. */
async function readPrivate(path: string): Promise<string | undefined> {
	try {
		const { mode } = await stat(path);
		// Windows has no such bits and reports them all.
		if ((mode & OTHERS_MAY) !== 0 && !/^[A-Za-z]:/.test(path)) {
			throw refuse(`${path} holds keys and can be read by others.`, `chmod 600 '${path}'`);
		}
		return await readFile(path, "utf8");
	} catch (error) {
		if (isMissing(error)) return undefined;
		if (error instanceof LocalError) throw error;
		throw refuse(`${path} cannot be read.`, "Check who owns it, or name another one in SVC_PROFILE_FILE.");
	}
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isProfile(value: unknown): value is Profile {
	return (
		isRecord(value) &&
		typeof value.base_url === "string" &&
		typeof value.api_key === "string" &&
		[value.token, value.app].every((field) => field === undefined || typeof field === "string")
	);
}

/** The messages never quote the file: what is malformed may be a key. */
function parseFile(path: string, text: string): ProfileFile {
	const shape = '{"profiles": {"local": {"base_url": "…", "api_key": "…"}}, "current": "local"}';
	const malformed = refuse(`${path} is not a profile file.`, `It should look like ${shape}`);
	let parsed: unknown;
	try {
		parsed = JSON.parse(text);
	} catch {
		throw malformed;
	}
	if (!isRecord(parsed) || !isRecord(parsed.profiles)) throw malformed;
	const profiles = Object.entries(parsed.profiles);
	if (!profiles.every((entry): entry is [string, Profile] => isProfile(entry[1]))) throw malformed;
	return {
		profiles: Object.fromEntries(profiles),
		current: typeof parsed.current === "string" ? parsed.current : undefined,
	};
}

interface Found {
	readonly name: string;
	readonly path: string;
	readonly profile: Profile;
}

async function findIn(path: string, wanted: string | undefined): Promise<Found | undefined> {
	const text = await readPrivate(path);
	if (text === undefined) return undefined;
	const file = parseFile(path, text);
	const names = Object.keys(file.profiles);
	const name = wanted ?? file.current ?? (names.length === 1 ? names[0] : undefined);
	const profile = name !== undefined && Object.hasOwn(file.profiles, name) ? file.profiles[name] : undefined;
	return profile !== undefined && name !== undefined ? { name, path, profile } : undefined;
}

async function findProfile(place: Place, wanted: string | undefined): Promise<Found> {
	const paths = profilePaths(place);
	for (const path of paths) {
		const found = await findIn(path, wanted);
		if (found !== undefined) return found;
	}
	const what = wanted === undefined ? "There is no key to use." : `There is no profile "${wanted}".`;
	throw refuse(
		`${what} Looked at SVC_API_KEY and ${paths.join(", ")}.`,
		"Set SVC_API_KEY, and SVC_BASE_URL unless it is local.",
	);
}

function sameAddress(one: string, other: string): boolean {
	return one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}

function checkAddress(baseUrl: string, source: string): void {
	const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
	if (url?.protocol === "http:" || url?.protocol === "https:") return;
	throw refuse(`The address of ${source} is not an http address.`, "Write it like https://images.example.com");
}

function credentials(
	baseUrl: string,
	apiKey: string,
	source: string,
	{ token, app }: Pick<Profile, "token" | "app"> = {},
): Credentials {
	checkAddress(baseUrl, source);
	if (![apiKey, token ?? apiKey].every((secret) => /^[\x21-\x7e]+$/.test(secret))) {
		throw refuse(
			`The key of ${source} is empty or holds characters that no key has.`,
			"Copy it again; it is not shown here.",
		);
	}
	return { baseUrl, apiKey, token, app, source };
}

/**
 * The key to use and the only address it is sent to. A profile named on the command line wins over the environment, the
 * environment over the current profile.
 * @throws LocalError with the remedy
 */
export async function readCredentials(place: Place, wanted: string | undefined): Promise<Credentials> {
	const apiKey = setting(place, "SVC_API_KEY");
	const baseUrl = setting(place, "SVC_BASE_URL");
	if (apiKey !== undefined && wanted === undefined) {
		return credentials(baseUrl ?? DEFAULT_BASE_URL, apiKey, "SVC_API_KEY");
	}
	const { name, path, profile } = await findProfile(place, wanted);
	if (baseUrl !== undefined && !sameAddress(baseUrl, profile.base_url)) {
		throw refuse(
			`SVC_BASE_URL is ${baseUrl}, and the profile "${name}" is for ${profile.base_url}: its key goes nowhere else.`,
			"Unset SVC_BASE_URL, or set SVC_API_KEY to a key of that address.",
		);
	}
	return credentials(profile.base_url, profile.api_key, `profile "${name}" (${path})`, profile);
}
