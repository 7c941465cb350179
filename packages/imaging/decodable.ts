import { readFile } from "node:fs/promises";
import type { SourceFormat } from "@svc/base/enumerations";
import { withClearGround } from "./inspect/gif-ground.ts";

/**
 * What a decoder is to be given for a file: the file, or a copy in memory that differs in the few bytes about which the decoder and all browsers are of
 * two minds. What is stored and served stays as it came.
 */
export async function decodable(input: string | Uint8Array, format: SourceFormat): Promise<string | Uint8Array> {
	const rewrite = REWRITES[format];
	if (!rewrite) return input;
	const file = typeof input === "string" ? await readFile(input) : input;
	const rewritten = rewrite(file);
	return rewritten === file ? input : rewritten;
}

/** Each gives the file itself where there is nothing to change. */
const REWRITES: Readonly<Partial<Record<SourceFormat, (file: Uint8Array) => Uint8Array>>> = {
	gif: withClearGround,
};
