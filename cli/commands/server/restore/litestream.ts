import { spawn } from "node:child_process";
import { LocalError } from "@svc/base/processes/exit";

/** What Litestream says last is why it failed; more than this of it helps nobody. */
const REASON_MAX = 1_000;

/** One moment of a database, in a copy that Litestream keeps up to date. */
export interface ReplicaMoment {
	/** Where the copy is, as Litestream writes it: `s3://bucket/path` or `file:///folder`. */
	readonly replica: string;
	readonly at: Date;
}

/**
 * Writes the database as it was at one moment to `path`, where nothing is yet, by the `litestream` on the PATH.
 * @throws LocalError where there is none, or where it has nothing of that moment
 */
export async function restoreFromReplica(
	{ replica, at }: ReplicaMoment,
	path: string,
	signal: AbortSignal,
): Promise<void> {
	const child = spawn("litestream", ["restore", "-timestamp", at.toISOString(), "-o", path, replica], {
		stdio: ["ignore", "pipe", "pipe"],
		signal,
	});
	let said = "";
	const listen = (text: string) => {
		said = (said + text).slice(-REASON_MAX);
	};
	child.stdout.setEncoding("utf8").on("data", listen);
	child.stderr.setEncoding("utf8").on("data", listen);
	const { promise, resolve, reject } = Promise.withResolvers<number | null>();
	child.once("error", reject).once("close", resolve);
	const code = await promise.catch((error: unknown) => {
		signal.throwIfAborted();
		throw notThere(error);
	});
	if (code === 0) return;
	const why = said.trim().split("\n").at(-1) ?? "";
	throw new LocalError(
		`Litestream could not restore ${replica}: ${why || "it said nothing"}.`,
		"litestream ltx <replica> lists the moments that are there.",
	);
}

function notThere(cause: unknown): Error {
	if (!(cause instanceof Error && "code" in cause && cause.code === "ENOENT"))
		return cause instanceof Error ? cause : new Error(String(cause));
	return new LocalError(
		"There is no litestream on the PATH.",
		"Install Litestream 0.5 (https://litestream.io), which also made the copy.",
	);
}
