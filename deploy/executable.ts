import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Part, packArchive } from "@svc/cli/service/archive";
import { assemble, filesIn, slashed } from "./assemble.ts";
import { platformOf, thisPlatform } from "./platform.ts";

/* Builds `svc` as one executable: the runtime, the command line, and in an archive the service, which `svc serve` unpacks and starts. */

const ROOT = join(import.meta.dirname, "..");
const USAGE = `npm run executable -- [--platform linux-arm64] [--out dist/svc] [--without-service]
`;

export interface Executable {
	/** As Bun names it, without `bun-`: linux-x64, darwin-arm64 …. */
	readonly platform: string;
	readonly out: string;
	readonly withService: boolean;
}

/** @throws Error when packages cannot be installed, or the runtime of another platform cannot be had */
export async function buildExecutable({ platform, out, withService }: Executable): Promise<void> {
	const work = await mkdtemp(join(tmpdir(), "svc-executable-"));
	try {
		const archive = join(work, "service.parts");
		if (withService) {
			const folder = join(work, "service");
			await assemble({ to: folder, platform: platformOf(platform), withCli: false });
			await writeFile(archive, await archiveOf(folder));
		}
		compile(platform, out, withService ? [archive] : []);
	} finally {
		await rm(work, { recursive: true, force: true });
	}
}

async function archiveOf(folder: string): Promise<Buffer> {
	const parts: Part[] = [];
	const contents: Uint8Array[] = [];
	for (const path of await filesIn(folder)) {
		const full = join(folder, path);
		const found = await lstat(full);
		if (found.isSymbolicLink()) {
			parts.push({ path, link: slashed(await readlink(full)) });
			continue;
		}
		const content = await readFile(full);
		const sha256 = createHash("sha256").update(content).digest("hex");
		parts.push({ path, bytes: content.length, sha256, mode: found.mode & 0o100 ? 0o755 : 0o644 });
		contents.push(content);
	}
	return await packArchive(parts, contents);
}

function compile(platform: string, out: string, assets: readonly string[]): void {
	const isOwn = platform === thisPlatform();
	const flags = [
		...["--compile", "--minify-whitespace", "--minify-syntax", "--sourcemap=none"],
		...["--target", isOwn ? "bun" : `bun-${platform}`],
		// A command reads its own part of the program and no other; here as bytecode, which only the runtime that made it can read.
		...["--splitting", "--format", "esm", ...(isOwn ? ["--bytecode"] : [])],
		// The dashboard's library looks for its development tools, which are not there.
		...["--external", "*/devtools.js", "--define", "process.env.NODE_ENV='production'"],
		...["--asset-naming", "[name].[ext]", "--outfile", out],
	];
	const made = spawnSync(process.execPath, ["build", ...flags, join(ROOT, "cli", "main.ts"), ...assets], {
		encoding: "utf8",
	});
	if (made.status !== 0) throw new Error(`the executable could not be built: ${made.stderr}`);
}

if (import.meta.main) {
	const { values } = parseArgs({
		options: {
			platform: { type: "string", default: thisPlatform() },
			out: { type: "string", default: "dist/svc" },
			"without-service": { type: "boolean", default: false },
			help: { type: "boolean", default: false },
		},
	});
	if (values.help) {
		process.stdout.write(USAGE);
	} else {
		const out = resolve(values.out);
		await mkdir(join(out, ".."), { recursive: true });
		await buildExecutable({ platform: values.platform, out, withService: !values["without-service"] });
		process.stdout.write(`${out}\n`);
	}
}
