/*
 * What decoders say, and whose fault it is. A decoder answers a file that is damaged and a machine that is out of memory or of
 * descriptors by the same kind of error; only the words tell them apart. A refusal makes a client throw its picture away, so words
 * that nobody has looked into yet do not refuse: they are logged as `decoder.unknown`, so that this list can grow. Each word has a file
 * in decoder-words.test.ts.
 */

/** Whose fault a failed decoding is. */
export type Blame = "file" | "machine" | "unknown";

/** Any of these in a message, and nothing is known about the file. */
const MACHINE_WORDS: readonly RegExp[] = [
	// Node's errors begin with the code; libvips puts the system's own sentence behind these words.
	/\bE(?:MFILE|NFILE|NOSPC|IO|NOENT|NOMEM|AGAIN|ACCES|PERM|BADF|DQUOT|ROFS|STALE|TIMEDOUT)\b/,
	/system error:|unable to open|unable to seek|Input (?:file|buffer) is missing/i,
	// "Security limit exceeded" comes under the heading of memory, and is the file's.
	/Memory allocation error(?!.*Security limit exceeded)/,
	/out of memory|cannot allocate|not enough memory|insufficient memory|allocation failed|std::bad_alloc|Aborted\(OOM\)/i,
	// No file is to blame for the time on the wall: the machine may have been busy with others.
	/timeout: \d+% complete|^no answer in /,
	// A decoder that the system ended, and not the file.
	/^ended by /,
	// A library that could not be loaded, mostly for want of a descriptor.
	/Error while loading plugin/,
];

/** What the decoders, alive and with the bytes in their hands, say about files that are damaged or are something else. */
const FILE_WORDS: readonly RegExp[] = [
	/^Input buffer contains unsupported image format$/,
	/^Input buffer has corrupt header:$/,
	/^VipsJpeg: (?:premature end of |Corrupt JPEG data|Bogus |Unsupported |Invalid |JPEG datastream contains no image)/,
	/^VipsJpeg: (?:Huffman|Quantization) table 0x[0-9a-f]+ was not defined$/,
	/^vipspng: libpng read error$/,
	/^webp: unable to parse image$/,
	/^webp2vips: unable to read pixels$/,
	/^gifload\w*: (?:Unexpected end of GIF source data|no frames in GIF|Invalid frame data)/,
	/^heif: (?:Invalid input|Unsupported feature|.*Security limit exceeded)/,
	/^heifload\w*: (?:bad dimensions|undefined bits per pixel)/,
	/^source: bad seek to /,
	// Our own, of libheif.ts.
	/^heif: (?:has \d+ pixels|decoded to no pixels)/,
];

/** Said of a JPEG that ends before its picture does; other decoders say the same of it as of one that is damaged. */
const CUT_OFF = /^VipsJpeg: premature end of JPEG image$/;

const CORRUPT_HEADER = "Input buffer has corrupt header: ";

/** Judges an error that was thrown while a decoder had all bytes of a file in its hands, and read nothing itself. */
export function blameFor(words: string): Blame {
	if (MACHINE_WORDS.some((word) => word.test(words))) return "machine";
	const lines = linesOf(words);
	return lines.some((line) => FILE_WORDS.some((word) => word.test(line))) ? "file" : "unknown";
}

export function isCutOff(words: string): boolean {
	return linesOf(words).some((line) => CUT_OFF.test(line));
}

/** The words of any error, as they are compared and logged. */
export function wordsOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function linesOf(words: string): readonly string[] {
	const inner = words.startsWith(CORRUPT_HEADER) ? words.slice(CORRUPT_HEADER.length) : words;
	return inner.split("\n").map((line) => line.trim());
}
