import { crc32 } from "node:zlib";

/*
 * A package as npm takes it: a tar file (POSIX.1-1988, ustar) in gzip (RFC 1952). Equal files make equal bytes on every machine, because a version names one
 * byte string: lock files hold its digest. So there are no times, owners or rights of this machine in it, and nothing is compressed: what a compressor
 * writes differs by its version and by the processor.
 */

const BLOCK = 512;
/** npm's own packages are all from this day: 26 October 1985. */
const CHANGED_S = 499_162_500;
const MODE = 0o644;
const NAME_MAX = 100;
const STORED_MAX = 0xffff;

/** @param files by their path in the package, with `/` in between @throws Error where a path is longer than 92 letters */
export function tarball(files: ReadonlyMap<string, Uint8Array>): Uint8Array<ArrayBuffer> {
	const names = [...files.keys()].sort();
	const parts = names.flatMap((name) => {
		const content = files.get(name) ?? new Uint8Array();
		return [header(`package/${name}`, content.length), content, new Uint8Array(-content.length & (BLOCK - 1))];
	});
	return gzip(Buffer.concat([...parts, new Uint8Array(2 * BLOCK)]));
}

function header(name: string, bytes: number): Uint8Array {
	if (name.length > NAME_MAX) throw new Error(`${name} is too long a path for a package`);
	const block = Buffer.alloc(BLOCK);
	const octal = (value: number, at: number, digits: number) =>
		block.write(`${value.toString(8).padStart(digits, "0")}\0`, at);
	block.write(name, 0);
	octal(MODE, 100, 7);
	octal(0, 108, 7);
	octal(0, 116, 7);
	octal(bytes, 124, 11);
	octal(CHANGED_S, 136, 11);
	// The checksum counts its own place as spaces.
	block.write("        0", 148);
	block.write("ustar\0" + "00", 257);
	octal(
		block.reduce((sum, byte) => sum + byte, 0),
		148,
		6,
	);
	return block;
}

function gzip(content: Uint8Array): Uint8Array<ArrayBuffer> {
	const parts: Uint8Array[] = [new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])];
	for (let at = 0; at < content.length; at += STORED_MAX) {
		const piece = content.subarray(at, at + STORED_MAX);
		const start = Buffer.alloc(5);
		start[0] = at + STORED_MAX >= content.length ? 1 : 0;
		start.writeUInt16LE(piece.length, 1);
		start.writeUInt16LE(piece.length ^ STORED_MAX, 3);
		parts.push(start, piece);
	}
	const end = Buffer.alloc(8);
	end.writeUInt32LE(crc32(content), 0);
	end.writeUInt32LE(content.length, 4);
	return new Uint8Array(Buffer.concat([...parts, end]));
}
