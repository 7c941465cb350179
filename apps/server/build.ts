import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "./package.json" with { type: "json" };

/*
 * Makes what Node and Deno run: one folder with the service and the programs that it starts, in JavaScript, and the packages that cannot be part
 * of it, because they bring native code or files.
 */

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const OUT = join(ROOT, "dist/server");

const PROGRAMS = [
	"apps/server/runtime/main.ts",
	"packages/imaging/workers/program.ts",
	"packages/operator/backup-worker.ts",
	"packages/operator/check-worker.ts",
	"packages/finders/face-worker.ts",
	"packages/finders/subject-worker.ts",
	"packages/finders/onnx-worker.ts",
];

/** Packages with native code or with files that are opened by name, and who depends on them. */
const OUTSIDE = {
	sharp: "packages/imaging",
	libsql: "packages/base",
	"libheif-js": "packages/imaging",
	"@litertjs/core": "packages/finders",
	"@mediapipe/face_detection": "packages/finders",
	"@mediapipe/selfie_segmentation": "packages/finders",
	"@techstark/opencv-js": "packages/finders",
	"swagger-ui-dist": "apps/api",
} as const;

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const { success, logs } = await Bun.build({
	entrypoints: PROGRAMS.map((program) => join(ROOT, program)),
	outdir: OUT,
	target: "node",
	format: "esm",
	splitting: true,
	naming: { entry: "[name].js" },
	external: [...Object.keys(OUTSIDE), "onnxruntime-node", "bun:ffi"],
	define: { "process.env.NODE_ENV": '"production"' },
});
if (!success) throw new AggregateError(logs, "the service could not be built");
await cp(join(ROOT, "drizzle"), join(OUT, "drizzle"), { recursive: true });
const dependencies: Record<string, string> = {};
for (const [name, room] of Object.entries(OUTSIDE)) {
	const from = join(ROOT, room, "node_modules", name);
	const require = createRequire(join(ROOT, room, "package.json"));
	dependencies[name] = (require(join(from, "package.json")) as { version: string }).version;
	await mkdir(dirname(join(OUT, "node_modules", name)), { recursive: true });
	await symlink(from, join(OUT, "node_modules", name));
}
await Bun.write(
	join(OUT, "package.json"),
	`${JSON.stringify({ name: "svc-server", version: manifest.version, license: "MIT", type: "module", dependencies }, null, "\t")}\n`,
);
