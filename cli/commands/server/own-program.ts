import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Context } from "../../kit/command.ts";
import { isRecord } from "./probe.ts";

/**
 * What the service's own program answers to these words, as an object of this name.
 * @throws LocalError with what the program said, and `next` where nothing better is known
 */
export async function askProgram<T extends { readonly object: string }>(
	{ process }: Context,
	words: readonly string[],
	{ object, isOne = () => true, next = "Stop the service first." }: Expected<T>,
): Promise<T> {
	const { exit, out, err } = await process.service.run(words, process.signal);
	if (exit !== 0) throw new LocalError(err.trim().split("\n").at(-1) ?? "", next, EXIT.conflict);
	const said: unknown = JSON.parse(out);
	if (isRecord(said) && said.object === object && isOne(said)) return said as unknown as T;
	throw new LocalError("The service's program is of another version.", "Use the svc beside it.");
}

interface Expected<T extends { readonly object: string }> {
	readonly object: T["object"];
	/** Looks at what a program of another version may lack. */
	isOne?(said: Readonly<Record<string, unknown>>): boolean;
	readonly next?: string;
}
