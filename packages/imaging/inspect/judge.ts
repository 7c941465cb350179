import { readFile } from "node:fs/promises";
import { Failure } from "@svc/base/failure";
import type { Log } from "@svc/base/ports";
import { blameFor, isCutOff, wordsOf } from "./decoder-words.ts";

export interface Suspect {
	readonly path: string;
	/** The name of the format for people, as `JPEG`. */
	readonly kind: string;
	readonly log: Pick<Log, "warn">;
}

export const UNKNOWN_WORDS = "UnknownWords";

/** What a decoder says is not on either list. The message is the kind of file, and the cause what was said. */
class UnknownWords extends Error {
	override readonly name = UNKNOWN_WORDS;
}

/**
 * Has `decode` work on a file, and finds out whose fault it is when that fails. It gets the path first. libvips says of a file that it
 * could not open or read what it says of one that is no picture, so nothing is refused before it has failed with its bytes in hand too.
 * @throws Failure `validation_error` under `file` where the file is at fault; UnknownWords, which count when they are heard again in another
 * process; anything else is no fault of the file
 */
export async function decodedOrRefused<T>(
	suspect: Suspect,
	decode: (input: string | Uint8Array) => Promise<T>,
): Promise<T> {
	try {
		return await decode(suspect.path);
	} catch (error) {
		if (error instanceof Failure || blameFor(wordsOf(error)) === "machine") throw error;
	}
	const bytes = await readFile(suspect.path);
	try {
		return await decode(bytes);
	} catch (error) {
		throw error instanceof Failure ? error : judged(suspect, error);
	}
}

/** What to throw after a decoder failed that had all bytes in its hands. */
export function judged({ kind, log }: Suspect, error: unknown): unknown {
	const words = wordsOf(error);
	const blame = blameFor(words);
	if (blame === "file") return undecodable(kind, error);
	if (blame === "machine") return error;
	log.warn("A decoder speaks of a file in words that are not known", { event: "decoder.unknown", kind, words });
	return new UnknownWords(kind, { cause: error });
}

export function undecodable(kind: string, cause: unknown): Failure {
	const what = isCutOff(wordsOf(cause))
		? "is cut off: its end is missing"
		: "is damaged, incomplete or not really of this format";
	const message = `looks like ${kind} but ${what}`;
	return new Failure("validation_error", { file: [message] }, { cause });
}
