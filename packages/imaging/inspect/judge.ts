import { readFile } from "node:fs/promises";
import { Failure } from "@svc/base/failure";
import type { Log } from "@svc/base/ports";
import { blameFor, wordsOf } from "./decoder-words.ts";

export interface Suspect {
	readonly path: string;
	/** The name of the format for people, as `JPEG`. */
	readonly kind: string;
	readonly log: Pick<Log, "warn">;
}

/**
 * Has `decode` work on a file, and finds out whose fault it is when that fails. It gets the path first. libvips says of a file that it
 * could not open or read what it says of one that is no picture, so nothing is refused before it has failed with its bytes in hand too.
 * @throws Failure `validation_error` under `file` where the file is at fault; anything else is no fault of the file
 */
export async function decodedOrRefused<T>(
	suspect: Suspect,
	decode: (input: string | Uint8Array) => Promise<T>,
): Promise<T> {
	let first: unknown;
	try {
		return await decode(suspect.path);
	} catch (error) {
		if (error instanceof Failure || blameFor(wordsOf(error)) === "machine") throw error;
		first = error;
	}
	const bytes = await readFile(suspect.path);
	try {
		return await decode(bytes);
	} catch (second) {
		throw judged(suspect, first, second);
	}
}

/** Words that are not known yet refuse a file when they are said twice, and are written down. */
export function judged(suspect: Suspect, first: unknown, second: unknown): unknown {
	const blame = second instanceof Failure ? "machine" : blameFor(wordsOf(second));
	if (blame === "file") return undecodable(suspect.kind, second);
	if (blame === "machine" || plain(suspect, first) !== plain(suspect, second)) return second;
	suspect.log.warn("A decoder refused a file in words that are not known", {
		event: "decoder.unknown",
		kind: suspect.kind,
		words: wordsOf(second),
	});
	return undecodable(suspect.kind, second);
}

export function undecodable(kind: string, cause: unknown): Failure {
	const message = `looks like ${kind} but is damaged, incomplete or not really of this format`;
	return new Failure("validation_error", { file: [message] }, { cause });
}

/** The same sentence names its input in two ways. */
function plain({ path }: Suspect, error: unknown): string {
	return wordsOf(error)
		.replaceAll(path, "source")
		.replaceAll("Input file", "Input buffer")
		.replaceAll("load_buffer:", "load:");
}
