import { eq } from "drizzle-orm";
import type { Database } from "./client.ts";
import { meta } from "./schema/service.ts";
import { statements } from "./statements.ts";

/**
 * A secret that the whole deployment shares, made by whoever asks first: every process that serves the database signs alike.
 * @returns 32 bytes
 */
export async function sharedSecret({ queries, read, write }: Database, name: string): Promise<Uint8Array<ArrayBuffer>> {
	const fresh = crypto.getRandomValues(new Uint8Array(32)).toHex();
	await write([{ run: statements.insert(meta).values({ key: name, value: fresh }).onConflictDoNothing() }]);
	const [row] = await read(() => queries.select({ value: meta.value }).from(meta).where(eq(meta.key, name)));
	if (!row) throw new Error(`The shared secret ${name} could not be read back.`);
	return Uint8Array.fromHex(row.value);
}
