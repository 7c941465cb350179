import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { LocalError } from "@svc/base/processes/exit";
import type { Archive, Part } from "./archive.ts";

/** Where what is unpacked may lie, and who is told that it takes a moment. */
interface Unpacking {
	/** The first of these folders that can be written is used; what does not exist is made. */
	readonly folders: readonly string[];
	tell(line: string): Promise<void>;
}

const DIGEST_LETTERS = 16;
/** How many files are read at once: all of them would be more than a process may have open. */
const AT_ONCE = 64;

/**
 * Unpacks an archive into a folder of its own, once: a later start compares every file with its digest, and puts right what differs. Each
 * file comes into its place whole, so that several processes may do this at the same moment, and others may run from there meanwhile.
 * @returns the folder
 * @throws LocalError where no folder can be written, or the one that can belongs to somebody else
 */
export async function unpack(archive: Archive, { folders, tell }: Unpacking): Promise<string> {
	const place = await firstWritable(folders);
	const target = join(place, `service-${archive.digest.slice(0, DIGEST_LETTERS)}`);
	const wrong = await partsThatDiffer(target, archive.parts);
	if (wrong.size === 0) return target;
	await tell(`Unpacking the service into ${target}. This happens once.`);
	const scratch = await mkdtemp(join(place, "unpacking-"));
	try {
		await write({ target, scratch, parts: archive.parts, wrong, contents: await archive.contents() });
	} finally {
		await rm(scratch, { recursive: true, force: true });
	}
	return target;
}

/** Code is run from there, so that nobody else may be able to write to it. */
async function firstWritable(folders: readonly string[]): Promise<string> {
	const refused: string[] = [];
	for (const folder of folders.map((one) => resolve(one))) {
		try {
			await mkdir(folder, { recursive: true, mode: 0o700 });
			// A folder that can be made, on a disk that cannot be written, is found out here.
			await rm(await mkdtemp(join(folder, "unpacking-")), { recursive: true });
		} catch (cause) {
			refused.push(`${folder}: ${cause instanceof Error ? cause.message : String(cause)}`);
			continue;
		}
		await refuseForeign(folder);
		return folder;
	}
	throw new LocalError(
		`The service cannot be unpacked anywhere. ${refused.join("; ")}`,
		"Set XDG_CACHE_HOME to a folder that this user may write.",
	);
}

async function refuseForeign(folder: string): Promise<void> {
	const own = process.getuid?.();
	const { uid, mode } = await lstat(folder);
	if (own === undefined || (uid === own && (mode & 0o022) === 0)) return;
	throw new LocalError(
		`The service would be unpacked into ${folder}, which other users may write.`,
		`Remove that folder, or set XDG_CACHE_HOME to one that is yours alone.`,
	);
}

async function partsThatDiffer(folder: string, parts: readonly Part[]): Promise<ReadonlySet<Part>> {
	const wrong = new Set<Part>();
	const compare = async (part: Part) => {
		if (!(await isAsPacked(join(folder, part.path), part))) wrong.add(part);
	};
	for (let at = 0; at < parts.length; at += AT_ONCE) await Promise.all(parts.slice(at, at + AT_ONCE).map(compare));
	return wrong;
}

async function isAsPacked(path: string, part: Part): Promise<boolean> {
	try {
		if ("link" in part) return resolve(dirname(path), await readlink(path)) === resolve(dirname(path), part.link);
		const found = await lstat(path);
		if (!found.isFile() || found.size !== part.bytes) return false;
		return (
			createHash("sha256")
				.update(await readFile(path))
				.digest("hex") === part.sha256
		);
	} catch {
		return false;
	}
}

interface Work {
	readonly target: string;
	/** On the same disk, for what is not whole yet. */
	readonly scratch: string;
	readonly parts: readonly Part[];
	readonly wrong: ReadonlySet<Part>;
	readonly contents: Buffer;
}

async function write({ target, scratch, parts, wrong, contents }: Work): Promise<void> {
	for (const parent of new Set([...wrong].map(({ path }) => dirname(join(target, path)))))
		await mkdir(parent, { recursive: true, mode: 0o700 });
	const fresh = join(scratch, "fresh");
	let at = 0;
	for (const part of parts) {
		const from = at;
		if ("bytes" in part) at += part.bytes;
		if (!wrong.has(part)) continue;
		// Windows lets everybody make junctions, but no other links.
		if ("link" in part) await symlink(part.link, fresh, "junction");
		else await writeFile(fresh, contents.subarray(from, at), { mode: part.mode });
		await rename(fresh, join(target, part.path));
	}
}
