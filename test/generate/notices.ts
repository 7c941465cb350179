import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/* THIRD_PARTY_NOTICES.md: whose work is part of what people install, by what stands in node_modules. `npm run generate` writes it. */

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
export const NOTICES = join(ROOT, "THIRD_PARTY_NOTICES.md");

/** What people run. All else of the checkout serves who works on it. */
const PRODUCTS = ["apps/server", "cli", "tui", "packages/sdk"];
/** Builds of one package for one machine each; which of them is there depends on where one looks. */
const BUILD = /([-/])(?:(?:linux|linuxmusl|darwin|win32|freebsd|wasm32|webcontainers)[-\w]*)$/;

interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly license?: string;
	readonly homepage?: string;
	readonly repository?: string | { readonly url: string };
	readonly dependencies?: Readonly<Record<string, string>>;
	readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Notice {
	readonly name: string;
	readonly version: string;
	readonly license: string;
	readonly where: string;
}

/** The whole text of the file. */
export function notices(): string {
	const rows = [...packagesOf(PRODUCTS.map((folder) => join(ROOT, folder)))]
		.map(([, notice]) => `| ${notice.name} | ${notice.version} | ${notice.license} | ${notice.where} |`)
		.sort();
	return `${HEAD}${rows.join("\n")}\n`;
}

const HEAD = `# Third-party notices

Svc is under the [MIT licence](LICENSE). It is installed together with the packages below, each under its own licence, whose text stands in
the package itself (\`node_modules/<package>/LICENSE\`) and is shipped with it. None of them was changed.

- **libvips** and the libraries in it (in \`@img/sharp-libvips-*\`, LGPL-3.0-or-later) and **libheif** with libde265 (in \`libheif-js\`, LGPL-3.0) are
  libraries of their own, which are loaded when the service starts: they may be replaced by other builds of the same interface. Their source is
  at https://github.com/lovell/sharp-libvips and https://github.com/catdad-experiments/libheif-js.
- **HEVC**, with which HEIC pictures are written, is covered by patents in some countries. Svc reads such pictures and never writes them. Whether
  your use needs a licence is a question for you and, say, Access Advance or Via LA.
- **Models**: two stand in \`packages/finders/models\`, with their licence (Apache-2.0) beside them. \`u2netp.tflite\` is U²-Net-p (Xuebin Qin and others,
  https://github.com/xuebinqin/U-2-Net), changed: its format was converted, its last part cut off, and its numbers rounded to 8 bits.
  \`face_detection_full_range.tflite\` is Google's (MediaPipe), unchanged.

| Package | Version | Licence | Source |
|---|---|---|---|
`;

function packagesOf(roots: readonly string[]): ReadonlyMap<string, Notice> {
	const found = new Map<string, Notice>();
	const open = [...roots];
	const seen = new Set<string>();
	for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
		if (seen.has(folder)) continue;
		seen.add(folder);
		const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
		for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
			const installed = findInstalled(folder, name);
			if (installed) open.push(installed);
		}
		if (!manifest.name.startsWith("@svc/")) {
			const notice = noticeOf(manifest);
			found.set(`${notice.name}@${notice.version}`, notice);
		}
	}
	return found;
}

function noticeOf({ name, version, license = "see the package", homepage, repository }: Manifest): Notice {
	const source = (typeof repository === "string" ? repository : repository?.url) ?? homepage ?? "";
	const where = source
		.replace(/^git\+/, "")
		.replace(/^git:\/\//, "https://")
		.replace(/^(?:github:)?([\w.-]+\/[\w.-]+)$/, "https://github.com/$1")
		.replace(/^git@github\.com:|^ssh:\/\/git@github\.com\//, "https://github.com/")
		.replace(/\.git$/, "");
	return { name: name.replace(BUILD, "$1*"), version, license, where };
}

/** The folder of a package as another one sees it; undefined for what is for other machines. */
function findInstalled(from: string, name: string): string | undefined {
	for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
		try {
			return realpathSync(join(folder, "node_modules", name));
		} catch {
			// One folder higher then.
		}
	}
	return undefined;
}

if (import.meta.main) await Bun.write(NOTICES, notices());
