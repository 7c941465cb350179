import { readFile } from "node:fs/promises";
import type { SourceFormat } from "@svc/base/enumerations";
import { underKnownBrand } from "./heif/heif-brands.ts";
import { withClearGround } from "./inspect/gif-ground.ts";

/**
 * What a decoder is to be given for a file: the file, or a copy in memory that differs in the few bytes about which the decoder and all browsers are of
 * two minds. What is stored and served stays as it came.
 */
export async function decodable(input: string | Uint8Array, format: SourceFormat): Promise<string | Uint8Array> {
	if (format !== "gif") return await underKnownBrand(input, format);
	const file = typeof input === "string" ? await readFile(input) : input;
	const copy = withClearGround(file);
	return copy === file ? input : copy;
}
