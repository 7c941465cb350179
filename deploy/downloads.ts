import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cliPackage } from "./cli-package.ts";
import { writePackage } from "./package-files.ts";
import { sdkPackage, ticketUpload } from "./sdk-package.ts";

/*
 * `bun deploy/downloads.ts <folder>`: makes what people take from a service that runs: the SDK and the command line of its own state, and the SDK's module for pages.
 * A service built carries them; one that runs from its sources starts this program when the first is asked for.
 */

interface Roots {
	/** The checkout, or a copy of what it needs to run. */
	readonly root?: string;
	/** Where the command line is installed, if that is elsewhere. */
	readonly cliRoot?: string | undefined;
}

/** @param to a folder, which is made */
export async function writeDownloads(to: string, { root, cliRoot = root }: Roots = {}): Promise<void> {
	await mkdir(to, { recursive: true });
	await writePackage(to, await sdkPackage({ ...(root && { root }) }));
	await writePackage(to, await cliPackage({ ...(cliRoot && { root: cliRoot }) }));
	await writeFile(join(to, "ticket-upload.js"), await ticketUpload({ ...(root && { root }) }));
}

if (import.meta.main) {
	const [, , to = ""] = process.argv;
	await writeDownloads(to);
}
