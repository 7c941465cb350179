import { createReadStream } from "node:fs";
import { appendFile, open } from "node:fs/promises";
import { createInterface } from "node:readline";

/*
 * What has come, a line each, beside the collection: a run that was cut off goes on behind it, and whoever has old addresses somewhere finds
 * the new ones in it.
 */

/** A picture that is there now. */
export interface Came {
	readonly line: number;
	/** Where it was. */
	readonly address: string;
	/** Null where it was there before, and has been deleted since. */
	readonly id: string | null;
	readonly url: string | null;
	readonly external_id: string | null;
	/** Whether it came now, or was there already. */
	readonly state: "came" | "there";
}

export interface CameFile {
	/** Whether the picture with this key has come to this service. */
	has(key: string): boolean;
	/** Written before it resolves. */
	add(came: readonly (Came & { readonly key: string })[]): Promise<void>;
}

/** @param service what the pictures come to: what came to another one has not come here */
export async function openCameFile(path: string, service: string): Promise<CameFile> {
	const keys = new Set<string>();
	for await (const line of linesOf(path)) for (const key of keyIn(line, service)) keys.add(key);
	// The last line may have been cut off: what is added must not become part of it.
	let before = (await isCutOff(path)) ? "\n" : "";
	return {
		has: (key) => keys.has(key),
		async add(came) {
			if (came.length === 0) return;
			const lines = came.map(({ key, ...one }) => JSON.stringify({ ...one, service, idempotency_key: key }));
			await appendFile(path, `${before}${lines.join("\n")}\n`);
			before = "";
			for (const { key } of came) keys.add(key);
		},
	};
}

/** Lines of 0.1.0 name no service. */
function keyIn(line: string, service: string): readonly string[] {
	const came = parsed(line);
	if (typeof came?.idempotency_key !== "string") return [];
	return came.service === undefined || came.service === service ? [came.idempotency_key] : [];
}

/** Whether a file is one of these: it must not be written over by mistake. */
export async function isCameFile(path: string): Promise<boolean> {
	for await (const line of linesOf(path)) return typeof parsed(line)?.idempotency_key === "string";
	return false;
}

/** None of a file that is not there. It may be longer than memory. */
async function* linesOf(path: string): AsyncGenerator<string, void, undefined> {
	const file = await open(path).catch(() => undefined);
	if (!file) return;
	await file.close();
	const input = createReadStream(path, "utf8");
	try {
		yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
	} finally {
		input.destroy();
	}
}

async function isCutOff(path: string): Promise<boolean> {
	const file = await open(path).catch(() => undefined);
	if (!file) return false;
	try {
		const { size } = await file.stat();
		const { buffer } = await file.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
		return size > 0 && buffer.toString() !== "\n";
	} finally {
		await file.close();
	}
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "object" && value !== null ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}
