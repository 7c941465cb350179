import { setTimeout as pause } from "node:timers/promises";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import { readWithMode } from "./read-with-mode.ts";

/** How one service is reached, and as whom. Fields that are not named here are kept as they are. */
export interface Profile {
	readonly base_url: string;
	readonly api_key?: string | undefined;
	/** A person's session or token. */
	readonly token?: string | undefined;
	/** The App that is meant unless a command says otherwise. */
	readonly app?: string | undefined;
	/** E-mail address of the person who signed in last. */
	readonly email?: string | undefined;
	/** Colours of the dashboard: `dark`, `light` or `none`. */
	readonly theme?: string | undefined;
	/** Id of the session that `token` is the secret of. */
	readonly session?: string | undefined;
	/** It opens nothing by itself. With it, strangers' wrong codes do not keep this device out. */
	readonly device_token?: string | undefined;
}

export interface ProfileFile {
	readonly profiles: Readonly<Record<string, Profile>>;
	readonly current?: string | undefined;
}

const TEXTS = ["api_key", "token", "app", "email", "session", "device_token", "theme"] as const;
const OTHERS_MAY = 0o077;
const OWNER_ONLY = 0o600;
const FOLDER_MODE = 0o700;
const LOCK_TRIES = 40;
const LOCK_WAIT_MS = 50;
/** A change takes milliseconds: what is older was left by a process that died. */
const STALE_MS = 10_000;

/** Loaded for changes alone: most commands only read. */
const files = () => import("node:fs/promises");

/** Undefined when there is none. @throws LocalError for one that others can read, and for what is no profile file */
export async function readProfileFile(path: string): Promise<ProfileFile | undefined> {
	const text = await readPrivate(path);
	return text === undefined ? undefined : parseFile(path, text);
}

/** Text of a file that only its owner can read; undefined when there is none. */
async function readPrivate(path: string): Promise<string | undefined> {
	try {
		const { mode, text } = await readWithMode(path);
		// Windows has no such bits and reports them all.
		if ((mode & OTHERS_MAY) !== 0 && !/^[A-Za-z]:/.test(path)) {
			throw refuse(`${path} holds keys and can be read by others.`, `chmod 600 '${path}'`);
		}
		return text;
	} catch (error) {
		if (isMissing(error)) return undefined;
		if (error instanceof LocalError) throw error;
		throw refuse(`${path} cannot be read.`, "Check who owns it, or name another one in SVC_PROFILE_FILE.");
	}
}

function refuse(message: string, next: string): LocalError {
	return new LocalError(message, next, EXIT.auth);
}

function isMissing(error: unknown): boolean {
	return codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
}

function codeOf(error: unknown): unknown {
	return error instanceof Error && "code" in error ? error.code : undefined;
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
	if (!isProfileFile(parsed)) throw malformed;
	return typeof parsed.current === "string" ? parsed : { ...parsed, current: undefined };
}

function isProfileFile(value: unknown): value is ProfileFile {
	return isRecord(value) && isRecord(value.profiles) && Object.values(value.profiles).every(isProfile);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isProfile(value: unknown): value is Profile {
	return (
		isRecord(value) &&
		typeof value.base_url === "string" &&
		TEXTS.every((name) => value[name] === undefined || typeof value[name] === "string")
	);
}

/**
 * Changes a profile file whole or not at all; only its owner can read it at any time. A file or folder that is missing is made.
 * @throws LocalError
 */
export async function changeProfileFile(path: string, change: (file: ProfileFile) => ProfileFile): Promise<void> {
	// A link stays a link: what it leads to is replaced.
	const { realpath } = await files();
	const real = await realpath(path).catch(() => path);
	try {
		await replace(real, change);
	} catch (error) {
		if (error instanceof LocalError || codeOf(error) === undefined) throw error;
		throw new LocalError(
			`${path} cannot be written: ${String(codeOf(error))}.`,
			"Check who owns it and its folder, or name another one in SVC_PROFILE_FILE.",
		);
	}
}

async function replace(path: string, change: (file: ProfileFile) => ProfileFile): Promise<void> {
	const { dirname } = await import("node:path");
	const { mkdir, rename, rm, stat } = await files();
	await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
	const next = `${path}.next`;
	const mode = await stat(path).then(
		(found) => found.mode & OWNER_ONLY,
		() => OWNER_ONLY,
	);
	const handle = await openNext(next, mode);
	// Two who found the same stale file may each have removed it, one of them the other's new one.
	const { ino } = await handle.stat();
	const isOurs = async () => (await stat(next).catch(() => undefined))?.ino === ino;
	try {
		const changed = change((await readProfileFile(path)) ?? { profiles: {} });
		await handle.writeFile(`${JSON.stringify(changed, undefined, "\t")}\n`);
		await handle.sync();
		if (!(await isOurs())) throw isBusy(next);
		await rename(next, path);
	} catch (error) {
		if (await isOurs()) await rm(next, { force: true });
		throw error;
	} finally {
		// Open until here: its number cannot be another file's.
		await handle.close();
	}
}

/** The file that will take the old one's place. Only one process can make it, so that no change undoes another one. */
async function openNext(path: string, mode: number) {
	const { open } = await files();
	for (let tries = 0; ; tries++) {
		try {
			return await open(path, "wx", mode);
		} catch (error) {
			if (codeOf(error) !== "EEXIST") throw error;
			await waitForTurn(path, tries);
		}
	}
}

/** @throws LocalError when another process is at it and does not finish */
async function waitForTurn(path: string, tries: number): Promise<void> {
	const { rm, stat } = await files();
	const found = await stat(path).catch(() => undefined);
	if (found !== undefined && Date.now() - found.mtimeMs > STALE_MS) return await rm(path, { force: true });
	if (tries >= LOCK_TRIES) throw isBusy(path);
	await pause(LOCK_WAIT_MS);
}

function isBusy(path: string): LocalError {
	return new LocalError(`Another command is changing the profiles: ${path} is there.`, "Try again in a moment.");
}
