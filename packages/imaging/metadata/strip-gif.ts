import { ascii, concat, startsWith } from "../bytes.ts";
import { EXTENSION, gifBlocks, gifHeader, IMAGE, TRAILER } from "../inspect/gif-blocks.ts";
import { copyrightXmp } from "./xmp.ts";

const GRAPHIC_CONTROL = 0xf9;
const APPLICATION = 0xff;
/** Introducer, label, size byte, and eleven bytes of name. */
const APPLICATION_HEAD_BYTES = 14;

/** The loop count under both of its names, and the colour profile. */
const KEPT_APPLICATIONS = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"];
const XMP_APPLICATION = "XMP DataXMP";

/**
 * XMP lies in a GIF as plain bytes, not in sub-blocks. These 257 bytes after it lead a reader that takes it for sub-blocks to the
 * terminator, wherever it comes out (XMP specification, part 3, section 1.1.2).
 */
const XMP_TRAILER = Uint8Array.from({ length: 257 }, (_, index) => (index === 0 ? 1 : 256 - index));

export function stripGif(file: Uint8Array): Uint8Array<ArrayBuffer> {
	const kept: Uint8Array[] = [gifHeader(file)];
	let xmpWritten = false;
	for (const block of gifBlocks(file)) {
		const application = applicationName(block);
		if (application === XMP_APPLICATION && !xmpWritten) {
			const xmp = rewriteXmp(block);
			if (xmp !== undefined) kept.push(xmp);
			xmpWritten = xmp !== undefined;
		} else if (isKept(block, application)) kept.push(block);
	}
	kept.push(Uint8Array.of(TRAILER));
	return concat(kept);
}

function applicationName(block: Uint8Array): string | undefined {
	if (block[0] !== EXTENSION || block[1] !== APPLICATION) return undefined;
	const name = block.subarray(3, APPLICATION_HEAD_BYTES);
	return [...KEPT_APPLICATIONS, XMP_APPLICATION].find((known) => startsWith(name, known));
}

function isKept(block: Uint8Array, application: string | undefined): boolean {
	if (block[0] === IMAGE || block[1] === GRAPHIC_CONTROL) return true;
	return application !== undefined && application !== XMP_APPLICATION;
}

/** The XMP of a GIF, as it is. */
export function gifXmp(file: Uint8Array): Uint8Array | undefined {
	for (const block of gifBlocks(file)) if (applicationName(block) === XMP_APPLICATION) return xmpOf(block);
	return undefined;
}

function xmpOf(block: Uint8Array): Uint8Array {
	const content = block.subarray(APPLICATION_HEAD_BYTES);
	return content.subarray(0, content.lastIndexOf(0x3e, content.length - XMP_TRAILER.length) + 1);
}

function rewriteXmp(block: Uint8Array): Uint8Array | undefined {
	const xmp = copyrightXmp(xmpOf(block));
	return xmp && xmpBlock(xmp);
}

/** A GIF that says something about itself, in front of its frames. */
export function withXmp(file: Uint8Array, xmp: Uint8Array): Uint8Array<ArrayBuffer> {
	const head = gifHeader(file);
	return concat([head, xmpBlock(xmp), file.subarray(head.length)]);
}

function xmpBlock(xmp: Uint8Array): Uint8Array {
	const head = concat([Uint8Array.of(EXTENSION, APPLICATION, XMP_APPLICATION.length), ascii(XMP_APPLICATION)]);
	return concat([head, xmp, XMP_TRAILER, new Uint8Array(1)]);
}
