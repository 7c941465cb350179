import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildExecutable } from "./executable.ts";
import { manifestOf, ROOT } from "./package-files.ts";
import { PLATFORM_NAMES } from "./platform.ts";

/* `npm run executables`: builds `svc`, the command line alone, as one file for every platform that Bun compiles to, with SHA256SUMS beside them.
   Bun fetches its runtime for each other platform from the npm registry. With --with-service also `svc-server`, which holds the service, too. */

/** What the service needs is not made for them, or cannot be had on another machine. */
const CLI_ALONE: readonly string[] = ["windows-arm64", "linux-x64-musl", "linux-arm64-musl"];

const USAGE = "npm run executables -- [--to dist] [--platform linux-arm64 --platform …] [--with-service]\n";

interface Wanted {
	readonly to: string;
	readonly platforms: readonly string[];
	readonly withService: boolean;
}

/** @returns the files, SHA256SUMS last */
export async function buildExecutables({ to, platforms, withService }: Wanted): Promise<readonly string[]> {
	await mkdir(to, { recursive: true });
	const { version } = await manifestOf(join(ROOT, "cli"));
	const made: string[] = [];
	for (const platform of platforms) {
		for (const one of withService && !CLI_ALONE.includes(platform) ? [false, true] : [false]) {
			const out = join(to, fileName(version, platform, one));
			await buildExecutable({ platform, out, withService: one });
			made.push(out);
		}
	}
	const sums = join(to, "SHA256SUMS");
	const lines = await Promise.all(made.map(async (file) => `${await sha256Of(file)}  ${basename(file)}\n`));
	await writeFile(sums, lines.join(""));
	return [...made, sums];
}

function fileName(version: string, platform: string, withService: boolean): string {
	const ending = platform.startsWith("windows-") ? ".exe" : "";
	return `${withService ? "svc-server" : "svc"}-${version}-${platform}${ending}`;
}

async function sha256Of(file: string): Promise<string> {
	const hash = createHash("sha256");
	for await (const chunk of createReadStream(file)) hash.update(chunk);
	return hash.digest("hex");
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: {
			to: { type: "string", default: "dist" },
			platform: { type: "string", multiple: true, default: [...PLATFORM_NAMES, ...CLI_ALONE] },
			"with-service": { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		process.stdout.write(USAGE);
	} else {
		const wanted = { to: resolve(values.to), platforms: values.platform, withService: values["with-service"] };
		process.stdout.write(`${(await buildExecutables(wanted)).join("\n")}\n`);
	}
}
