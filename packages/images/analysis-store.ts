import { createHash } from "node:crypto";
import type { Database } from "@svc/base/database/client";
import { imageAnalyses } from "@svc/base/database/schema/images";
import type { AnalysisKind } from "@svc/base/enumerations";
import { and, eq, sql } from "drizzle-orm";
import { decodeMask, encodeMask } from "./mask-bytes.ts";
import type { AnalysisStore } from "./ports.ts";
import type { Analysis, Mask } from "./transform/analysis.ts";

interface Format<Value> {
	encode(value: Value): Uint8Array<ArrayBuffer>;
	/** Throws for bytes that are not of this format. */
	decode(bytes: Uint8Array): Value;
}

type Formats = { readonly [K in AnalysisKind]: Format<Analysis[K]> };

/** Of the digest of what found a subject. */
const MODEL_BYTES = 8;

/** `subjectModel` says what finds subjects: a subject that another model found counts as not found. */
export function analysisStore({ queries, read, write }: Database, subjectModel: string): AnalysisStore {
	const formats: Formats = {
		faces: json(),
		focus: json(),
		content: json(),
		subject: subjects(subjectModel),
		thumbhash: json(),
		colour: json(),
	};
	const saved = queries
		.select({ value: imageAnalyses.value })
		.from(imageAnalyses)
		.where(and(eq(imageAnalyses.blobKey, sql.placeholder("blobKey")), eq(imageAnalyses.kind, sql.placeholder("kind"))))
		.prepare();

	return {
		async find(blobKey, kind) {
			const [row] = await read(() => saved.all({ blobKey, kind }));
			return row && decoded(formats[kind], row.value);
		},
		async save(blobKey, kind, value, nowMs) {
			const bytes = formats[kind].encode(value);
			// On the condition that the image is there: a search may end after its picture was deleted, and nothing would remove its facts.
			await write([
				{
					run: sql`INSERT INTO image_facts (blob_key, kind, value, found_ms)
						SELECT blob_key, ${kind}, ${bytes}, ${nowMs} FROM images WHERE blob_key = ${blobKey}
						ON CONFLICT (blob_key, kind) DO UPDATE SET value = excluded.value, found_ms = excluded.found_ms`,
				},
			]);
		},
	};
}

/** What cannot be read is as if it had not been saved: it is found again, and overwritten. */
export function decoded<Value>(format: Format<Value>, bytes: Uint8Array): Value | undefined {
	try {
		return format.decode(bytes);
	} catch {
		return undefined;
	}
}

/** A mask, or nothing, behind the mark of the model that found it. */
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

export function json<Value>(): Format<Value> {
	return {
		encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
		decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
	};
}
