import { eq, sql } from "drizzle-orm";
import type { Database } from "./client.ts";
import { meta } from "./schema/service.ts";

/**
 * A secret that the whole deployment shares, made by whoever asks first: every process that serves the database signs alike.
 * @returns 32 bytes
 */
export async function sharedSecret({ queries, read, write }: Database, name: string): Promise<Uint8Array<ArrayBuffer>> {
	const fresh = crypto.getRandomValues(new Uint8Array(32)).toHex();
	await write([{ run: sql`INSERT INTO ${meta} (key, value) VALUES (${name}, ${fresh}) ON CONFLICT DO NOTHING` }]);
	const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, name)));
	if (!row) throw new Error(`The shared secret ${name} could not be read back.`);
	return Uint8Array.fromHex(row.value);
}
