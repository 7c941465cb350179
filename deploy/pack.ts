import { join } from "node:path";
import { parseArgs } from "node:util";
import { packCli } from "./cli-package.ts";
import { ROOT } from "./package-files.ts";
import { packSdk } from "./sdk-package.ts";

/* `bun run pack [--to <folder>]`: makes all packages, as they are published, and prints their files. */

const { values } = parseArgs({ options: { to: { type: "string", default: join(ROOT, "dist") } } });
for (const make of [packSdk, packCli]) {
	const { tarball } = await make(values.to);
	process.stdout.write(`${tarball}\n`);
}
