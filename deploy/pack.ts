import { copyFile, mkdir, readFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { EXAMPLE_SHEETS } from "@svc/base/processes/programs";
import { packCli } from "./cli-package.ts";
import { ROOT } from "./package-files.ts";
import { packSdk } from "./sdk-package.ts";

/*
 * `npm run pack`: makes the packages, as they are published, and prints their files; with `-- --to <folder>` elsewhere than in dist. `--for <folder>` makes those alone
 * that the folder's package.json depends on, beside it: so an example starts in a checkout, with its style sheet.
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
const sheet = EXAMPLE_SHEETS[basename(resolve(values.for ?? ""))];
if (values.for !== undefined && sheet !== undefined) {
	const to = join(values.for, sheet);
	await mkdir(dirname(to), { recursive: true });
	await copyFile(join(ROOT, "examples/style.css"), to);
}

async function dependenciesOf(folder: string): Promise<readonly string[]> {
	const { dependencies } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as {
		readonly dependencies: Readonly<Record<string, string>>;
	};
	return Object.keys(dependencies);
}
