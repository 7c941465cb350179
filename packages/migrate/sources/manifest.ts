import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { withoutSecret } from "@svc/base/http/signed-address";
import { LocalError, UsageError } from "@svc/base/processes/exit";
import { externalIdOf } from "../fitting.ts";
import { sorted } from "../move.ts";
import {
	type ImageSource,
	isUnfit,
	type Pairs,
	type PictureFields,
	type SourceImage,
	type SourceOptions,
	type Unfit,
	VISIBILITIES,
} from "./source.ts";
import { fileAt } from "./source-calls.ts";

/* A manifest says what a collection holds: one picture a line, as JSON or as CSV with a header. */

interface ManifestLine {
	/** Counted from 1. */
	readonly line: number;
	readonly address: string;
	readonly externalId: string | undefined;
	readonly fields: PictureFields;
}

/** Fields by name; in CSV labels and metadata are columns of their own, as `label.album`. */
type Fields = Readonly<Record<string, unknown>>;

const TEXTS = ["address", "date", "caption", "ttl", "visibility", "external_id"] as const;
const FAULTS_SHOWN = 10;

/** @throws LocalError where there is no such file; UsageError naming lines that cannot be understood */
export async function openManifest(options: SourceOptions): Promise<ImageSource> {
	const { from, prefix = "" } = options;
	const path = resolve(options.cwd, from);
	const text = await readFile(path, "utf8").catch(() => {
		throw new LocalError("The manifest cannot be read.", "Check the path, or name another place: svc migrate --help");
	});
	const pictures = numbered(readManifest(text)).map((one) => pictureOf(options, one));
	const wanted = pictures.filter((one) => isUnfit(one) || one.name.startsWith(prefix));
	return {
		...{ name: from, path, isExact: true },
		async *list() {
			yield* wanted;
		},
	};
}

/** Reads all of it before anything is sent. */
function readManifest(text: string): readonly ManifestLine[] {
	const rows = text.trimStart().startsWith("{") ? jsonRows(text) : csvRows(text);
	const faults: string[] = [];
	const lines = rows.flatMap(({ line, fields }) => {
		const read = typeof fields === "string" ? fields : readLine(line, fields);
		if (typeof read !== "string") return [read];
		faults.push(`line ${line} ${read}`);
		return [];
	});
	if (faults.length > 0) {
		const more = faults.length > FAULTS_SHOWN ? `, and ${faults.length - FAULTS_SHOWN} more` : "";
		throw new UsageError(`Nothing was sent: ${faults.slice(0, FAULTS_SHOWN).join("; ")}${more}.`);
	}
	if (lines.length === 0) throw new UsageError("The manifest names no picture.");
	return lines;
}

interface Row {
	readonly line: number;
	/** A text says what is wrong. */
	readonly fields: Fields | string;
}

function jsonRows(text: string): readonly Row[] {
	const lines = text.split("\n").map((content, place) => ({ content: content.trim(), line: place + 1 }));
	return lines
		.filter(({ content }) => content !== "")
		.map(({ content, line }) => ({ line, fields: readJson(content) }));
}

function readJson(content: string): Fields | string {
	try {
		const value: unknown = JSON.parse(content);
		return isObject(value) ? value : "is no JSON object";
	} catch {
		return "is no JSON";
	}
}

function csvRows(text: string): readonly Row[] {
	const [header, ...records] = csvRecords(text);
	if (header === undefined) return [];
	const names = header.cells.map((name) => name.trim());
	return records.map(({ line, cells }) => ({ line, fields: named(names, cells) }));
}

function named(names: readonly string[], cells: readonly string[]): Fields | string {
	if (cells.length !== names.length) return `has ${cells.length} cells for ${names.length} columns`;
	const given = names.map((name, place) => [name, cells[place] ?? ""] as const).filter(([, cell]) => cell !== "");
	const under = (prefix: string) =>
		given.flatMap(([name, cell]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), cell] as const] : []));
	const texts = given.filter(([name]) => !name.startsWith(LABEL) && !name.startsWith(METADATA));
	const [labels, metadata] = [Object.fromEntries(under(LABEL)), Object.fromEntries(under(METADATA))];
	return { ...Object.fromEntries(texts), labels, metadata };
}

const LABEL = "label.";
const METADATA = "metadata.";

interface CsvRecord {
	readonly line: number;
	readonly cells: readonly string[];
}

/** RFC 4180: a cell in quotes may hold commas, line breaks and doubled quotes. */
function csvRecords(text: string): readonly CsvRecord[] {
	const records: CsvRecord[] = [];
	let cells: string[] = [];
	let line = 1;
	let begins = 1;
	for (const [, quoted, plain = "", end = ""] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
		cells.push(quoted?.replaceAll('""', '"') ?? plain);
		line += (quoted ?? "").split("\n").length - 1;
		if (end === ",") continue;
		if (cells.length > 1 || cells[0] !== "") records.push({ line: begins, cells });
		cells = [];
		line += 1;
		begins = line;
	}
	return records;
}

/** The line, or what is wrong with it. */
function readLine(line: number, fields: Fields): ManifestLine | string {
	const { labels = {}, metadata = {}, ...texts } = fields;
	const unknown = Object.keys(texts).filter((name) => !TEXTS.some((known) => known === name));
	if (unknown.length > 0) return `has ${unknown.join(", ")}, which a manifest does not know`;
	const wrong = TEXTS.find((name) => texts[name] !== undefined && typeof texts[name] !== "string");
	if (wrong) return `has a ${wrong} that is no text`;
	if (!isPairs(labels) || !isPairs(metadata)) return "has labels or metadata that are not texts by name";
	const {
		address,
		visibility,
		external_id: externalId,
		...said
	} = texts as Partial<Record<(typeof TEXTS)[number], string>>;
	if (address === undefined || !URL.canParse(address)) return "has no address of a picture";
	const shown = VISIBILITIES.find((one) => one === visibility);
	if (visibility !== undefined && shown === undefined) return `has the visibility ${visibility}: public or private`;
	return { line, address, externalId, fields: { ...said, visibility: shown, labels, metadata } };
}

interface Numbered extends ManifestLine {
	/** How many lines with the same address there are before. */
	readonly earlier: number;
}

function numbered(lines: readonly ManifestLine[]): readonly Numbered[] {
	const seen = new Map<string, number>();
	return lines.map((one) => {
		const earlier = seen.get(one.address) ?? 0;
		seen.set(one.address, earlier + 1);
		return { ...one, earlier };
	});
}

/** The address is the picture's name in the other place, unless the manifest knows a better one. */
function pictureOf(
	options: SourceOptions,
	{ line, address: sent, externalId, fields, earlier }: Numbered,
): SourceImage | Unfit {
	const address = withoutSecret(sent);
	if (externalId !== undefined && externalIdOf(externalId) !== externalId) {
		return { line, address, why: "Its external_id can be none.", isNoPicture: false };
	}
	const { date, caption, ttl, visibility, labels, metadata } = fields;
	const said = [sent, date, caption, ttl, visibility, sorted(labels), sorted(metadata)];
	return {
		...{ line, address, fields },
		name: externalId ?? (earlier === 0 ? address : `${address}#${earlier + 1}`),
		identity: externalId === undefined ? said : [...said, { externalId }],
		filename: new URL(address).pathname.split("/").at(-1) || undefined,
		...(address !== sent && { download: (signal) => fileAt(options, sent, signal) }),
	};
}

function isObject(value: unknown): value is Fields {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPairs(value: unknown): value is Pairs {
	return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}
