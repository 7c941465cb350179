import { open } from "node:fs/promises";
import type { SourceFormat } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import type { Staged } from "@svc/base/ports";
import type { FileHints, FileRules } from "@svc/images/ports";
import { recognise, SIGNATURE_BYTES } from "./signatures.ts";
import { untakenKind } from "./untaken-kinds.ts";

/**
 * The format that the first bytes of a received file say.
 * @throws Failure `validation_error` under `file` where the rules do not take it, or not so many bytes of it
 */
export async function acceptedFormat(staged: Staged, hints: FileHints, rules: FileRules): Promise<SourceFormat> {
	const head = await readHead(staged.path);
	const recognised = recognise(head);
	const accepted = listNames([...rules.formats]);
	if (recognised === undefined) {
		const what = staged.bytes === 0 ? "is empty" : "is not a picture of a known format";
		throw invalid("file", `${what}; send ${accepted}`);
	}
	const { format, kind } = recognised;
	if (format === undefined || !rules.formats.has(format)) throw invalid("file", `is ${kind}; send ${accepted}`);
	const untaken = await untakenKind(format, head, staged.path);
	if (untaken !== undefined) throw invalid("file", `is ${untaken}; send ${accepted}`);
	if (saysHeif(hints) && format !== "heic") {
		throw invalid("file", `is called HEIF but is ${kind}; a HEIF file must hold HEVC pictures`);
	}
	const most = rules.maxBytesOf?.[format] ?? rules.maxBytes;
	if (staged.bytes > most) {
		throw invalid("file", `is larger than ${most.toLocaleString("en")} bytes, the most for ${NAMES[format]}`);
	}
	return format;
}

async function readHead(path: string): Promise<Uint8Array> {
	const file = await open(path, "r");
	try {
		const { buffer, bytesRead } = await file.read(new Uint8Array(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
		return buffer.subarray(0, bytesRead);
	} finally {
		await file.close();
	}
}

function saysHeif({ filename, contentType }: FileHints): boolean {
	const type = contentType?.split(";")[0]?.trim().toLowerCase() ?? "";
	return /\.heif$/i.test(filename?.trim() ?? "") || type === "image/heif" || type === "image/heif-sequence";
}

/** Names of formats for people. */
export const NAMES: Readonly<Record<SourceFormat, string>> = {
	jpg: "JPEG",
	png: "PNG",
	gif: "GIF",
	webp: "WebP",
	avif: "AVIF",
	heic: "HEIC",
	svg: "SVG",
	bmp: "BMP",
	ico: "ICO",
};

/** Lists names as `JPEG, PNG or GIF`. */
function listNames(formats: readonly SourceFormat[]): string {
	const names = (Object.keys(NAMES) as SourceFormat[])
		.filter((format) => formats.includes(format))
		.map((format) => NAMES[format]);
	return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
