import { appendFile, readFile } from "node:fs/promises";
import { type Column, fields } from "../../kit/table.ts";

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

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
export const CAME_COLUMNS: readonly Column<Came>[] = [
	...fields("line", "address", "id", "url", "external_id", "state"),
];

export interface CameFile {
	/** Whether the picture with this key has come to this service. */
	has(key: string): boolean;
	/** Written before it resolves. */
	add(came: readonly (Came & { readonly key: string })[]): Promise<void>;
}

/** @param service what the pictures come to: what came to another one has not come here */
export async function openCameFile(path: string, service: string): Promise<CameFile> {
	const text = await readFile(path, "utf8").catch(() => "");
	const keys = new Set(text.split("\n").flatMap((line) => keyIn(line, service)));
	// The last line may have been cut off: what is added must not become part of it.
	let before = text === "" || text.endsWith("\n") ? "" : "\n";
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
	const [first = ""] = (await readFile(path, "utf8").catch(() => "")).split("\n", 1);
	return typeof parsed(first)?.idempotency_key === "string";
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(line);
		return typeof value === "object" && value !== null ? { ...value } : undefined;
	} catch {
		return undefined;
	}
}
