/** Both ends are inclusive. */
export interface ByteRange {
	readonly first: number;
	readonly last: number;
}

const RANGE = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i;

/**
 * The one range that a Range header asks for (RFC 9110, section 14.2). Undefined when the whole is to be sent: no header, several
 * ranges, another unit, or nonsense. "unsatisfiable" when it lies outside.
 */
export function parseRange(header: string | null, bytes: number): ByteRange | "unsatisfiable" | undefined {
	const [, from, to] = (header && RANGE.exec(header)) || [];
	if (from === undefined || to === undefined) return undefined;
	if (from === "") return to === "" ? undefined : suffix(Number(to), bytes);
	const first = Number(from);
	const last = to === "" ? bytes - 1 : Number(to);
	if (to !== "" && last < first) return undefined;
	return first < bytes ? { first, last: Math.min(last, bytes - 1) } : "unsatisfiable";
}

function suffix(length: number, bytes: number): ByteRange | "unsatisfiable" {
	if (length === 0 || bytes === 0) return "unsatisfiable";
	return { first: Math.max(0, bytes - length), last: bytes - 1 };
}
