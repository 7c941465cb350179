import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { licenceTexts } from "./licence-texts.ts";
import { emptyFolder, finishPackage, type Packed, ROOT, run } from "./package-files.ts";

const ROOM = join(ROOT, "cli");

/** Makes `@svc/cli` as it is published: all in one file, so that nothing else has to be installed. */
export async function packCli(to: string): Promise<Packed> {
	const folder = join(to, "cli");
	const dist = join(folder, "dist");
	await emptyFolder(folder);
	await mkdir(dist);
	const program = join(dist, "program.mjs");
	run("the CLI could not be bundled", ["run", "build", "--outfile", program], ROOM);
	await writeFile(join(folder, "THIRD_PARTY_LICENSES"), await licenceTexts(program));
	await copyFile(join(ROOM, "svc.mjs"), join(dist, "svc.mjs"));
	return await finishPackage(ROOM, {
		folder,
		to,
		fields: { bin: { svc: "dist/svc.mjs" }, files: ["dist", "THIRD_PARTY_LICENSES"] },
	});
}
