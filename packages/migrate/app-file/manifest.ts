import { broken } from "./read-zip.ts";

/** The entry that says what the others are; written last. */
export const MANIFEST = "manifest.json";
export const MANIFEST_MAX_BYTES = 64_000_000;
const FORMAT = "svc-app";
const VERSION = 1;

export interface RecordsFile {
	readonly name: string;
	readonly sha256: string;
	readonly lines: number;
}

export interface Manifest {
	readonly format: typeof FORMAT;
	readonly version: number;
	/** The address of the service that it comes from. */
	readonly installation: string;
	readonly app: string;
	readonly images: number;
	readonly bytes: number;
	readonly records: readonly RecordsFile[];
}

export function newManifest(facts: Omit<Manifest, "format" | "version">): Manifest {
	return { format: FORMAT, version: VERSION, ...facts };
}

/** @throws LocalError for what none of ours is, and for one of a later release */
export function readManifest(text: string): Manifest {
	const sent = parsed(text);
	if (sent?.format !== FORMAT) throw broken(MANIFEST, "it is not that of an App");
	if (sent.version !== VERSION) throw broken(MANIFEST, "a later release wrote it: take that release's svc");
	const { installation, app, images, bytes, records } = sent;
	const isWhole =
		typeof installation === "string" &&
		typeof app === "string" &&
		Number.isSafeInteger(images) &&
		Number.isSafeInteger(bytes) &&
		Array.isArray(records) &&
		records.every(isRecordsFile);
	if (!isWhole) throw broken(MANIFEST, "it is damaged");
	return sent as unknown as Manifest;
}

function isRecordsFile(sent: unknown): sent is RecordsFile {
	const one = sent as Partial<RecordsFile> | null;
	return typeof one?.name === "string" && typeof one.sha256 === "string" && Number.isSafeInteger(one.lines);
}

function parsed(text: string): Record<string, unknown> | undefined {
	try {
		const sent: unknown = JSON.parse(text);
		return typeof sent === "object" && sent !== null ? (sent as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}
