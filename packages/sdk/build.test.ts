import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const { CI, DENO, NODE } = process.env;
const RUNTIMES = [
	{ name: "Bun", command: process.execPath, flags: [] },
	{ name: "Node", command: Bun.which(NODE ?? "node"), flags: [] },
	{ name: "Deno", command: Bun.which(DENO ?? "deno"), flags: ["run", "--allow-net", "--no-prompt"] },
];

/** Uploads over one busy answer, walks two pages, reads a refusal, is cut off, manages, and builds an address. */
const PROGRAM = `
import { createClient } from "./dist/client.js";
import { ApiError, ConnectionError } from "./dist/failure.js";
import { createManagement } from "./dist/management.js";
import { imageUrl } from "./dist/transform.js";
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

let folder = "";
let server: Bun.Server<undefined>;

function refuse(status: number, code: string): Response {
	return Response.json({ error: { type: "t", code, message: code } }, { status });
}

function textOf(stream: ReadableStream): Promise<string> {
	return new Response(stream).text();
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
	folder = await mkdtemp(join(tmpdir(), "svc-sdk-"));
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
	const build = Bun.spawnSync([process.execPath, "run", "build", "--outdir", join(folder, "dist")], {
		cwd: import.meta.dir,
		stderr: "pipe",
	});
	expect(build.exitCode, build.stderr.toString()).toBe(0);
	await writeFile(join(folder, "program.mjs"), PROGRAM.replaceAll("BASE_URL", `http://127.0.0.1:${server.port}`));
});

afterAll(async () => {
	await server.stop(true);
	await rm(folder, { recursive: true });
});

describe("the built SDK", () => {
	for (const { name, command, flags } of RUNTIMES) {
		test.skipIf(command === null && CI !== "true")(`runs on ${name} [sdk.runtimes]`, async () => {
			if (command === null) throw new Error(`${name} is missing: put it on PATH or name it in ${name.toUpperCase()}.`);
			const child = Bun.spawn([command, ...flags, "program.mjs"], { cwd: folder, stdout: "pipe", stderr: "pipe" });
			const [output, errors] = await Promise.all([textOf(child.stdout), textOf(child.stderr)]);
			expect(errors).toBe("");
			expect(JSON.parse(output)).toEqual({
				bytes: 3,
				labels: { kind: "cat" },
				ids: ["c0", "c1"],
				missing: "not_found",
				late: "timeout",
				apps: ["c0", "c1"],
				preview: 3,
				url: "http://cdn.test/t/a.png?w=9",
			});
		});
	}
});
