import type { FactKind, Facts } from "@svc/core/facts";
import type { FactStore } from "@svc/core/ports";
import { and, eq, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { decodeMask, encodeMask } from "./mask-bytes.ts";
import { imageFacts } from "./schema-images.ts";

interface Format<Value> {
	encode(value: Value): Uint8Array<ArrayBuffer>;
	/** Throws for bytes that are not of this format. */
	decode(bytes: Uint8Array): Value;
}

const FORMATS: { readonly [K in FactKind]: Format<Facts[K]> } = {
	faces: json(),
	focus: json(),
	content: json(),
	subject: {
		encode: (mask) => (mask ? encodeMask(mask) : new Uint8Array()),
		decode: (bytes) => (bytes.length > 0 ? decodeMask(bytes) : null),
	},
};

export function factStore({ queries, read, write }: Database): FactStore {
	const saved = queries
		.select({ value: imageFacts.value })
		.from(imageFacts)
		.where(and(eq(imageFacts.blobKey, sql.placeholder("blobKey")), eq(imageFacts.kind, sql.placeholder("kind"))))
		.prepare();

	return {
		async find(blobKey, kind) {
			const [row] = await read(() => saved.all({ blobKey, kind }));
			return row && decoded(kind, row.value);
		},
		async save(blobKey, kind, value, nowMs) {
			const bytes = FORMATS[kind].encode(value);
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
function decoded<K extends FactKind>(kind: K, bytes: Uint8Array): Facts[K] | undefined {
	try {
		return FORMATS[kind].decode(bytes);
	} catch {
		return undefined;
	}
}

function json<Value>(): Format<Value> {
	return {
		encode: (value) => new TextEncoder().encode(JSON.stringify(value)),
		decode: (bytes) => JSON.parse(new TextDecoder().decode(bytes)),
	};
}
