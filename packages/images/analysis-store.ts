import { createHash } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { Database } from "@svc/base/database/client";
import { rowsOf } from "@svc/base/database/rows";
import { imageAnalyses, images } from "@svc/base/database/schema/images";
import { column, columns, statements } from "@svc/base/database/statements";
import type { Step } from "@svc/base/database/step";
import { keptStatement } from "@svc/base/database/write/kept-statements";
import type { AnalysisKind } from "@svc/base/enumerations";
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { AnalysisStore } from "./ports.ts";
import { ANALYSIS_SIDE, type Analysis, type Mask, type Placeholder, type SeenFacts } from "./transform/analysis.ts";
import { type FoundMends, MENDS } from "./transform/mends.ts";

interface Format<Value> {
	encode(value: Value): Uint8Array<ArrayBuffer>;
	/** Throws for bytes that are not of this format. */
	decode(bytes: Uint8Array): Value;
}

type Formats = { readonly [K in AnalysisKind]: Format<Analysis[K]> };

/** Length of the digest that names the model of a subject. */
const MODEL_BYTES = 8;

/** `subjectModel` names the model that finds subjects: a subject that another model found counts as not found. */
export function analysisStore({ queries, read, write }: Database, subjectModel: string): AnalysisStore {
	const formats: Formats = {
		faces: json(),
		focus: json(),
		content: json(),
		subject: subjects(subjectModel),
		thumbhash: json(),
		colour: json(),
		colours: json(),
		taken: json(),
		header: json(),
		every_face: json(),
		mends: ofAllMends(),
		likeness: likenesses,
		pixels: json(),
	};
	const { blobKey: ofBlob, kind: ofKind, value } = imageAnalyses;
	const wanted = and(eq(ofBlob, sql.placeholder("blobKey")), eq(ofKind, sql.placeholder("kind")));
	const saved = queries.select({ value }).from(imageAnalyses).where(wanted).prepare();

	return {
		async find(blobKey, kind) {
			const [row] = await read(() => saved.all({ blobKey, kind }));
			return row && decoded(formats[kind], row.value);
		},
		async save(blobKey, facts, nowMs) {
			const kinds = Object.keys(facts) as AnalysisKind[];
			const encoded = <K extends AnalysisKind>(kind: K) => formats[kind].encode(facts[kind] as Analysis[K]);
			const rows = [rowsOf.analyses(blobKey)];
			const fact = (kind: AnalysisKind) => saveFact({ blobKey, kind, value: encoded(kind), foundMs: nowMs });
			await write(kinds.map((kind) => ({ run: fact(kind), rows })));
		},
	};
}

/** Stored placeholders of these images, by blob key; none is analysed for it. */
export async function listPlaceholders(
	{ queries, read }: Database,
	blobKeys: readonly string[],
): Promise<ReadonlyMap<string, Placeholder>> {
	const wanted = sql`(SELECT value FROM json_each(${JSON.stringify(blobKeys)}))`;
	const { blobKey, kind, value } = imageAnalyses;
	const placeholders = and(inArray(blobKey, wanted), inArray(kind, ["thumbhash", "colour"]));
	const fields = { blobKey, kind, value };
	const rows = await read(() => queries.select(fields).from(imageAnalyses).where(placeholders));
	const known = new Map<string, Partial<Placeholder>>();
	for (const { blobKey, kind, value } of rows) {
		known.set(blobKey, { ...known.get(blobKey), [kind]: decoded(placeholderFormat, value) });
	}
	return new Map([...known].filter((entry): entry is [string, Placeholder] => isWhole(entry[1])));
}

function isWhole({ thumbhash, colour }: Partial<Placeholder>): boolean {
	return thumbhash !== undefined && colour !== undefined;
}

/** For the commit of an image, behind its row: what its inspection found out about the picture. */
export function seenSteps(
	{ blobKey, seen = {} }: { readonly blobKey: string; readonly seen?: SeenFacts | undefined },
	foundMs: number,
): readonly Step[] {
	const kinds = Object.keys(seen) as (keyof SeenFacts)[];
	if (kinds.length === 0) return [];
	const encoded = (kind: (typeof kinds)[number]) =>
		kind === "likeness" ? likenesses.encode(seen[kind] ?? null) : json<unknown>().encode(seen[kind]);
	const values = Object.fromEntries(kinds.map((kind) => [kind, encoded(kind)]));
	const run = insertFacts({ blobKey, foundMs, ...values }, ...kinds);
	return [{ run, rows: [rowsOf.analyses(blobKey)] }];
}

type FactRows = Pick<typeof imageAnalyses.$inferInsert, "blobKey" | "foundMs"> &
	Partial<Record<AnalysisKind, Uint8Array<ArrayBuffer>>>;

const insertFacts = keptStatement<FactRows, AnalysisKind[]>(({ blobKey, foundMs, ...facts }, ...kinds) => {
	const rows = kinds.map((kind) => ({ blobKey, foundMs, kind, value: facts[kind] }));
	return statements.insert(imageAnalyses).values(rows).onConflictDoNothing();
});

/** The condition is that the image exists: an analysis may end after its image was deleted, and nothing would remove its facts. */
function saveFact({ blobKey, kind, value, foundMs }: typeof imageAnalyses.$inferInsert): SQL {
	const key = columns(imageAnalyses.blobKey, imageAnalyses.kind);
	const [found, foundAt] = [column(imageAnalyses.value), column(imageAnalyses.foundMs)];
	return sql`INSERT INTO ${imageAnalyses} (${key}, ${found}, ${foundAt})
		SELECT ${images.blobKey}, ${kind}, ${value}, ${foundMs} FROM ${images} WHERE ${images.blobKey} = ${blobKey}
		ON CONFLICT (${key}) DO UPDATE SET ${found} = excluded.${found}, ${foundAt} = excluded.${foundAt}`;
}

/** Bytes that cannot be decoded count as not saved: the fact is found again, and overwritten. */
function decoded<Value>(format: Format<Value>, bytes: Uint8Array): Value | undefined {
	try {
		return format.decode(bytes);
	} catch {
		return undefined;
	}
}

/** A grey picture as it is; no bytes for none. */
export const likenesses: Format<Analysis["likeness"]> = {
	encode: (grey) => new Uint8Array(grey ?? []),
	decode: (bytes) => (bytes.length > 0 ? bytes : null),
};

const placeholderFormat = json<Analysis["thumbhash"] | Analysis["colour"]>();

/** A mask, or nothing, after the digest of the model that found it. */
function subjects(model: string): Format<Mask | null> {
	const mark = createHash("sha256").update(model).digest().subarray(0, MODEL_BYTES);
	return {
		encode: (mask) => Uint8Array.from([...mark, ...(mask ? encodeMask(mask) : [])]),
		decode(bytes) {
			if (!mark.equals(bytes.subarray(0, MODEL_BYTES))) throw new RangeError("another model found this subject");
			return bytes.length > MODEL_BYTES ? decodeMask(bytes.subarray(MODEL_BYTES)) : null;
		},
	};
}

/** What was found before there was the last mend is looked for again. */
function ofAllMends(): Format<FoundMends> {
	const { encode, decode } = json<FoundMends>();
	return {
		encode,
		decode(bytes) {
			const found = decode(bytes);
			if (found.upTo < MENDS.length) throw new RangeError("there are more mends by now");
			return found;
		},
	};
}

function json<Value>(): Format<Value> {
	return {
		encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
		decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
	};
}

const VERSION = 1;
const HEADER_BYTES = 5;

/**
 * A lossless encoding of a few thousand bytes: a version, the width and the height (two bytes each, big-endian), the deflated difference of
 * every row from the one above.
 */
export function encodeMask({ width, height, alpha }: Mask): Uint8Array<ArrayBuffer> {
	const rows = alpha.map((value, index) => value - (alpha[index - width] ?? 0));
	const packed = deflateRawSync(rows, { level: 9 });
	const bytes = new Uint8Array(HEADER_BYTES + packed.length);
	const header = new DataView(bytes.buffer);
	header.setUint8(0, VERSION);
	header.setUint16(1, width);
	header.setUint16(3, height);
	bytes.set(packed, HEADER_BYTES);
	return bytes;
}

/** @throws RangeError for bytes that `encodeMask` has not made. */
export function decodeMask(bytes: Uint8Array): Mask {
	if (bytes.length < HEADER_BYTES || bytes[0] !== VERSION) throw new RangeError("these bytes are no mask");
	const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
	const width = header.getUint16(1);
	const height = header.getUint16(3);
	const alpha = unpacked(bytes.subarray(HEADER_BYTES), width, height);
	// Sums of bytes, which wrap around as the differences did.
	for (let index = width; index < alpha.length; index++)
		alpha[index] = (alpha[index] ?? 0) + (alpha[index - width] ?? 0);
	return { width, height, alpha };
}

function unpacked(packed: Uint8Array, width: number, height: number): Uint8Array {
	const length = width * height;
	if (length === 0 || Math.max(width, height) > ANALYSIS_SIDE)
		throw new RangeError(`a mask is not ${width} by ${height}`);
	try {
		const rows = new Uint8Array(inflateRawSync(packed, { maxOutputLength: length }));
		if (rows.length === length) return rows;
	} catch (error) {
		throw new RangeError("a mask is damaged", { cause: error });
	}
	throw new RangeError("a mask is cut short");
}
