import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cliPackage } from "@svc/deploy/cli-package";
import { manifestOf, ROOT } from "@svc/deploy/package-files";
import { sdkPackage } from "@svc/deploy/sdk-package";
import { Glob } from "bun";

/*
 * A version of the SDK and of the command line names one byte string: lock files hold its digest. `npm run generate` compares what is packed now with what was
 * packed of this version, and raises the version where it differs, in every place that names it. It runs last: the packages have made files in them.
 */

const RECORD = join(ROOT, "deploy", "packed.json");

export interface Packed {
	readonly version: string;
	readonly sdk: string;
	readonly cli: string;
}

/** What is packed of the sources as they are. Both have one version, since the service has both under it. */
export async function packed(): Promise<Packed> {
	const [sdk, cli] = [await sdkPackage(), await cliPackage()];
	const digest = ({ bytes }: { readonly bytes: Uint8Array }) => createHash("sha256").update(bytes).digest("hex");
	return { version: sdk.version, sdk: digest(sdk), cli: digest(cli) };
}

export async function recorded(): Promise<Packed> {
	return JSON.parse(await readFile(RECORD, "utf8")) as Packed;
}

/** The version that these packages are to have: another one, where its own names other packages already. */
export function versionOf(now: Packed, before: Packed): string {
	if (now.version !== before.version || (now.sdk === before.sdk && now.cli === before.cli)) return now.version;
	return now.version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
}

/** Writes a version into the manifests, the lock file, and every page and example that names a package. */
async function setVersion(version: string): Promise<void> {
	for (const room of ["packages/sdk", "cli"]) {
		const { name } = await manifestOf(join(ROOT, room));
		await replaceIn(`${room}/package.json`, /("version": ")[^"]+/, `$1${version}`);
		await replaceIn("bun.lock", new RegExp(`("name": "${name}",\\s+"version": ")[^"]+`), `$1${version}`);
	}
	const naming = ["docs", "examples", "packages/sdk", "cli"].flatMap((folder) =>
		[...new Glob("**/*.{md,json}").scanSync(join(ROOT, folder))].map((path) => `${folder}/${path}`),
	);
	for (const path of [...naming, "README.md"].filter((one) => !/node_modules|docs\/decisions/.test(one)))
		await replaceIn(path, /(svc-(?:sdk|cli)-)\d+\.\d+\.\d+(?=\.tgz)/g, `$1${version}`);
}

async function replaceIn(path: string, pattern: RegExp, by: string): Promise<void> {
	const text = await readFile(join(ROOT, path), "utf8");
	const replaced = text.replace(pattern, by);
	if (replaced !== text) await writeFile(join(ROOT, path), replaced);
}

if (import.meta.main) {
	const now = await packed();
	const version = versionOf(now, await recorded());
	if (version !== now.version) process.stdout.write(`the SDK or the command line has changed: it is ${version} now\n`);
	await setVersion(version);
	await writeFile(RECORD, `${JSON.stringify(await packed(), undefined, "\t")}\n`);
}
