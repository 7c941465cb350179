import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packCli } from "./cli-package.ts";
import { ROOT } from "./package-files.ts";
import { packSdk } from "./sdk-package.ts";

/*
 * `npm run pack`: makes the packages, as they are published, and prints their files; with `-- --to <folder>` elsewhere than in dist. `--for <folder>` makes those alone
 * that the folder's package.json depends on, beside it: so an example starts in a checkout.
 */

const PACKAGES = { "@svc/sdk": packSdk, "@svc/cli": packCli };

const { values } = parseArgs({
	options: { to: { type: "string", default: join(ROOT, "dist") }, for: { type: "string" } },
});
const wanted = values.for === undefined ? Object.keys(PACKAGES) : await dependenciesOf(values.for);
for (const [name, pack] of Object.entries(PACKAGES)) {
	if (!wanted.includes(name)) continue;
	const { tarball } = await pack(resolve(values.for ?? values.to));
	process.stdout.write(`${tarball}\n`);
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
	const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
		readonly dependencies: Readonly<Record<string, string>>;
	};
	return Object.keys(dependencies);
}
