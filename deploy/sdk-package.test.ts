import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { isSkipped, RUNTIMES } from "@svc/test/support/runtimes";
import { type ScratchProject, scratchProject } from "@svc/test/support/scratch-project";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { ROOT } from "./package-files.ts";

/** Uploads over one busy answer, walks two pages, reads a refusal, is cut off, manages, and builds an address. */
const PROGRAM = `
import { createClient } from "@svc/sdk/client";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { createManagement } from "@svc/sdk/management";
import { imageUrl } from "@svc/sdk";
const client = createClient({ baseUrl: "BASE_URL", apiKey: "svc_sk_test_x" });
const image = await client.images.upload(new Uint8Array([1, 2, 3]), { filename: "a.png", labels: { kind: "cat" } });
const ids = [];
for await (const one of client.images.all()) ids.push(one.id);
const missing = await client.images.get("missing").catch((error) => error instanceof ApiError && error.code);
const late = await client.images.get("late", { timeoutMs: 50 }).catch((error) => error instanceof ConnectionError && error.reason);
const management = createManagement({ baseUrl: "BASE_URL", apiKey: "svc_ses_x" });
const apps = [];
for await (const app of management.apps.all()) apps.push(app.id);
const preview = await (await management.moderation.preview("img_1")).arrayBuffer();
console.log(JSON.stringify({ bytes: image.bytes, labels: image.labels, ids, missing, late, apps, preview: preview.byteLength, url: imageUrl(image, { w: 9 }) }));
`;

/** What a strict project of a user writes. */
const TYPED = `
import { ApiError, createClient, createManagement, imageUrl, type Image } from "@svc/sdk";
import astro from "@svc/sdk/astro";
import loader from "@svc/sdk/next";
import nuxt from "@svc/sdk/nuxt";
import { type Picture, picture } from "@svc/sdk/picture";
import { signUrl } from "@svc/sdk/sign-url";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import { transform } from "@svc/sdk/unpic";
import { addTicketUploader } from "@svc/sdk/uppy";
import { ticketServer } from "@svc/sdk/filepond";
import type { Client } from "@svc/sdk/client";
import { SCOPES } from "@svc/sdk/lists";
import type { App } from "@svc/sdk/shapes";
const client: Client = createClient({ baseUrl: "http://localhost:3000", apiKey: "svc_sk_test_x" });
export async function show(file: Blob): Promise<string> {
	const image: Image = await client.images.upload(file, { labels: { album: "summer" } });
	return imageUrl(image, { w: 400, format: "webp" });
}
export async function names(): Promise<string[]> {
	const found: string[] = [];
	const { apps } = createManagement({ baseUrl: "http://localhost:3000", apiKey: null });
	for await (const app of apps.all()) found.push((app satisfies App).name);
	return [...found, ...SCOPES];
}
export const shown = (image: Image): Picture => picture(image, { alt: "A lake", placeholder: "blur" });
export const addresses: string[] = [
	astro.getURL({ src: "", width: 9 }, { service: { config: {} } }),
	loader({ src: "", width: 9 }),
	nuxt().getImage("", { modifiers: { width: 9 } }).url,
	transform("", { width: 9, gravity: "face" }),
];
export const sent = (file: File): Promise<Image> => uploadWithTicket("https://example.com/v1/uploads/x", file);
export const signed = (image: Image): Promise<string> => signUrl(image, { secret: "svc_sig_x", expiresAt: 1 });
export const uploaders = [addTicketUploader, ticketServer({ ticket: () => "" }).process];
export const codeOf = (error: unknown): string | undefined => (error instanceof ApiError ? error.code : undefined);
// @ts-expect-error a parameter that there is not
imageUrl("", { width: 400 });
`;

let project: ScratchProject;
let folder = "";
let tarball = "";
let server: Bun.Server<undefined>;

function refuse(status: number, code: string): Response {
	return Response.json({ error: { type: "t", code, message: code } }, { status });
}

const busyOnce = new Set<string>();

async function create(request: Request): Promise<Response> {
	const key = request.headers.get("idempotency-key") ?? "";
	if (!busyOnce.has(key)) {
		busyOnce.add(key);
		return refuse(503, "create_outcome_ambiguous");
	}
	const form = await request.formData();
	const file = form.get("file");
	const labels = JSON.parse(String(form.get("labels")));
	return Response.json({ url: "http://cdn.test/t/a.png", bytes: file instanceof Blob ? file.size : -1, labels });
}

function page(cursor: string | null): Response {
	const next_cursor = cursor === null ? "c1" : null;
	return Response.json({ object: "list", data: [{ id: cursor ?? "c0" }], pagination: { next_cursor } });
}

beforeAll(async () => {
	project = await scratchProject();
	({ folder, tarball } = project);
	server = Bun.serve({
		port: 0,
		fetch(request) {
			const { pathname, searchParams } = new URL(request.url);
			if (pathname === "/v1/images/missing") return refuse(404, "not_found");
			if (pathname.endsWith("/preview")) return new Response(new Uint8Array([0xff, 0, 0xfe]));
			if (pathname === "/v1/images/late") return new Promise<Response>(() => undefined);
			return request.method === "POST" ? create(request) : page(searchParams.get("cursor"));
		},
	});
	await writeFile(join(folder, "program.mjs"), PROGRAM.replaceAll("BASE_URL", `http://127.0.0.1:${server.port}`));
});

afterAll(async () => {
	await server.stop(true);
	await project[Symbol.asyncDispose]();
});

describe("the packed SDK", () => {
	const seen = {
		bytes: 3,
		labels: { kind: "cat" },
		ids: ["c0", "c1"],
		missing: "not_found",
		late: "timeout",
		apps: ["c0", "c1"],
		preview: 3,
		url: "http://cdn.test/t/a.png?w=9",
	};

	for (const runtime of RUNTIMES) {
		test.skipIf(isSkipped(runtime))(`runs on ${runtime.name}${runtime.note} [sdk.runtimes]`, async () => {
			expect(JSON.parse(await project.run([...runtime.command(), "program.mjs"]))).toEqual(seen);
		});
	}

	test("runs out of a bundler, which takes no more than what is used", async () => {
		const [all, one] = [join(folder, "all.mjs"), join(folder, "one.mjs")];
		const flags = { bundle: true, minify: true, format: "esm", platform: "browser", absWorkingDir: folder } as const;
		await build({ ...flags, entryPoints: ["program.mjs"], outfile: all });
		const contents = 'import { imageUrl } from "@svc/sdk"; console.log(imageUrl("http://cdn.test/a.png", { w: 9 }));';
		await build({ ...flags, stdin: { contents, resolveDir: folder }, outfile: one });
		expect(JSON.parse(await project.run([process.execPath, all]))).toEqual(seen);
		expect(await project.run([process.execPath, one])).toBe("http://cdn.test/a.png?w=9\n");
		expect((await readFile(one, "utf8")).length).toBeLessThan(8500);
	});

	test.each(["node16", "bundler"])("compiles in a strict project that resolves as %s", async (resolution) => {
		await writeFile(join(folder, "typed.ts"), TYPED);
		const compiled = resolution === "bundler" ? "esnext" : resolution;
		const flags = [
			"--ignoreConfig",
			"--noEmit",
			"--strict",
			"--exactOptionalPropertyTypes",
			"--noUncheckedIndexedAccess",
		];
		const words = ["--module", compiled, "--moduleResolution", resolution, "--types", "", "--lib", "es2023,dom"];
		const tsc = join(ROOT, "node_modules", ".bin", "tsc");
		expect(await project.run([tsc, ...flags, ...words, "--target", "es2023", "typed.ts"])).toBe("");
	});

	test("says the truth about itself: publint finds nothing", async () => {
		const { messages, pkg } = await publint({ pack: { tarball: await Bun.file(tarball).arrayBuffer() }, strict: true });
		expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
	});

	test("has declarations where every resolution of today looks: arethetypeswrong finds nothing", async () => {
		const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
		const problems = checked.types ? checked.problems : ["there are no types"];
		// There are modules alone: older ways to resolve, and `require` before Node 20.19, are not served.
		const isOld = (problem: (typeof problems)[number]) =>
			typeof problem === "object" &&
			"resolutionKind" in problem &&
			["node10", "node16-cjs"].includes(problem.resolutionKind);
		expect(problems.filter((problem) => !isOld(problem))).toEqual([]);
	});

	test("has every module that its README and the documentation import", async () => {
		const manifest = JSON.parse(await readFile(join(folder, "node_modules/@svc/sdk/package.json"), "utf8"));
		const pages = [...new Bun.Glob("docs/**/*.md").scanSync(ROOT), "packages/sdk/README.md", "README.md"];
		const texts = await Promise.all(pages.map((page) => readFile(join(ROOT, page), "utf8")));
		const named = new Set(texts.join("\n").match(/@svc\/sdk\/[a-z-]+/g));
		expect([...named].filter((name) => !(name.replace("@svc/sdk", ".") in manifest.exports))).toEqual([]);
	});

	test("holds what was built, its README and its licence, and asks for nothing else", async () => {
		const manifest = JSON.parse(await readFile(join(folder, "node_modules/@svc/sdk/package.json"), "utf8"));
		expect(manifest).toMatchObject({ name: "@svc/sdk", license: "MIT", sideEffects: false, engines: { node: ">=20" } });
		for (const field of ["private", "scripts", "dependencies", "devDependencies", "peerDependencies"]) {
			expect(manifest).not.toHaveProperty(field);
		}
		const names = (await project.run(["tar", "-tzf", tarball])).trimEnd().split("\n");
		expect(names).toContain("package/LICENSE");
		expect(names).toContain("package/README.md");
		expect(
			names.filter(
				(name) => !/\/(package\.json|LICENSE|README\.md|dist\/(?:[a-z]+\/)?[\w-]+(\.d\.ts|\.js))$/.test(name),
			),
		).toEqual([]);
	});
});
