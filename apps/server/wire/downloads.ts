import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { DOWNLOADS } from "@svc/base/processes/programs";

/**
 * The folder of what people take from this service: the SDK, the command line. A service built has it beside itself; one that runs from the
 * sources of a checkout makes it when it is first asked, and anew after it has failed.
 */
export function downloadsFolder(): () => Promise<URL> {
	const beside = DOWNLOADS;
	if (beside) return async () => beside;
	let made: Promise<URL> | undefined;
	return () => {
		made ??= make().catch((error: unknown) => {
			made = undefined;
			throw error;
		});
		return made;
	};
}

/** By a program of its own: it takes a second, in which this process would answer nobody. @throws Error with what it said */
async function make(): Promise<URL> {
	const folder = await mkdtemp(join(tmpdir(), "svc-downloads-"));
	process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
	const program = fileURLToPath(new URL("../../../deploy/downloads.ts", import.meta.url));
	const child = Bun.spawn([process.execPath, "--no-env-file", program, folder], {
		cwd: folder,
		env: {},
		stdio: ["ignore", "ignore", "pipe"],
	});
	const said = await new Response(child.stderr).text();
	if ((await child.exited) !== 0) throw new Error(`the SDK and the command line could not be packed: ${said}`);
	return pathToFileURL(`${folder}/`);
}
