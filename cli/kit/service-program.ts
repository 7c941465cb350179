import { spawn } from "node:child_process";
import { join } from "node:path";
import { LocalError } from "./exit.ts";

/** How the service's own program ended. */
export interface ServiceEnd {
	/** Null for one that a signal ended. */
	readonly exit: number | null;
	readonly out: string;
	readonly err: string;
}

/** Runs the service's own program, which reads the environment that the service would be started with. */
export type RunService = (words: readonly string[], signal: AbortSignal) => Promise<ServiceEnd>;

/** The program of a source checkout. @throws LocalError where the CLI runs without one, or not under Bun */
export function serviceProgram(checkout: string | undefined): RunService {
	return async (words, signal) => {
		if (checkout === undefined || process.versions.bun === undefined)
			throw new LocalError(
				"The service's program is not here.",
				"Run this where the service is started, with its environment: bun svc server …",
			);
		const main = join(checkout, "apps", "server", "main.ts");
		const child = spawn(process.execPath, [main, ...words], { stdio: ["ignore", "pipe", "pipe"], signal });
		const [out, err] = [collect(child.stdout), collect(child.stderr)];
		const { promise, resolve, reject } = Promise.withResolvers<number | null>();
		child.once("error", reject).once("close", resolve);
		return { exit: await promise, out: out(), err: err() };
	};
}

function collect(stream: NodeJS.ReadableStream): () => string {
	let text = "";
	stream.setEncoding("utf8").on("data", (chunk: string) => {
		text += chunk;
	});
	return () => text;
}
