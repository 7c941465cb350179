import { open } from "node:fs/promises";

/** Programs write the description of an AVIF in front of its pixels. */
const HEAD_BYTES = 65_536;
const CONFIGURATION = Buffer.from("av1C");
/** Bits of the third byte of an AV1 configuration (AV1-ISOBMFF, section 2.3.3). */
const MONOCHROME = 0x10;
const HALVED_BOTH_WAYS = 0x0c;

/**
 * Whether the colours of an AVIF are at full resolution, as its header says: "4:4:4" where any picture in it says so, or says halved in
 * one direction only, or where nothing says anything.
 */
export async function avifChroma(input: string | Uint8Array): Promise<"4:2:0" | "4:4:4"> {
	const head = typeof input === "string" ? await headOf(input) : Buffer.from(input.subarray(0, HEAD_BYTES));
	const colours: number[] = [];
	for (let at = head.indexOf(CONFIGURATION); at >= 0; at = head.indexOf(CONFIGURATION, at + 1)) {
		const bits = head[at + CONFIGURATION.length + 2] ?? 0;
		if ((bits & MONOCHROME) === 0) colours.push(bits & HALVED_BOTH_WAYS);
	}
	return colours.length > 0 && colours.every((bits) => bits === HALVED_BOTH_WAYS) ? "4:2:0" : "4:4:4";
}

async function headOf(path: string): Promise<Buffer> {
	const file = await open(path, "r");
	try {
		const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}
