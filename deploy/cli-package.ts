import { copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { emptyFolder, finishPackage, type Packed, ROOT, run } from "./package-files.ts";

const ROOM = join(ROOT, "cli");

/** Makes `@svc/cli` as it is published: all in one file, so that nothing else has to be installed. */
export async function packCli(to: string): Promise<Packed> {
	const folder = join(to, "cli");
	const dist = join(folder, "dist");
	await emptyFolder(folder);
	await mkdir(dist);
	run("the CLI could not be bundled", ["run", "build", "--outfile", join(dist, "program.mjs")], ROOM);
	await copyFile(join(ROOM, "svc.mjs"), join(dist, "svc.mjs"));
	return await finishPackage(ROOM, { folder, to, fields: { bin: { svc: "dist/svc.mjs" }, files: ["dist"] } });
}
