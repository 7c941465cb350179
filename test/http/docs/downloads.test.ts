import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EXAMPLE_SHEETS } from "@svc/base/processes/programs";
import { cliPackage } from "@svc/deploy/cli-package";
import { sdkPackage } from "@svc/deploy/sdk-package";
import { serviceFor, startService } from "../../support/service.ts";
import { readZip } from "../../support/zip-file.ts";

/* What people take from the service: the SDK, the command line, and the examples. */

const service = serviceFor();
const ask = (path: string, init: RequestInit = {}) => service.open(`http://localhost:3000${path}`, init);
const bytesOf = async (path: string) => new Uint8Array(await (await ask(path)).arrayBuffer());

describe.each([
	["sdk", sdkPackage],
	["cli", cliPackage],
])("/%s/", (room, make) => {
	test("leads to the package of the version that runs, which is byte for byte what npm run pack makes", async () => {
		const made = await make();
		for (const path of [`/${room}`, `/${room}/`]) {
			const answer = await ask(path, { redirect: "manual" });
			const wanted = `http://localhost:3000/${room}/svc-${room}-${made.version}.tgz`;
			expect([answer.status, answer.headers.get("location")]).toEqual([302, wanted]);
		}
		const answer = await ask(`/${room}/${made.file}`);
		expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/gzip"]);
		expect(Buffer.from(await answer.arrayBuffer()).equals(made.bytes)).toBe(true);
		const headers = { "If-None-Match": answer.headers.get("etag") ?? "" };
		expect((await ask(`/${room}/${made.file}`, { headers })).status).toBe(304);
	}, 60_000);

	test("404 for another version, and for whatever else lies there", async () => {
		for (const name of [`svc-${room}-9.9.9.tgz`, "ticket-upload.js", "..%2fpackage.json", "x"])
			expect([name, (await ask(`/${room}/${name}`)).status]).toEqual([name, 404]);
	});
});

test("two steps install the SDK of the service, without a registry", async () => {
	const folder = await mkdtemp(join(tmpdir(), "svc-installed-"));
	try {
		const { file } = await sdkPackage();
		await writeFile(join(folder, file), await bytesOf(`/sdk/${file}`));
		await writeFile(join(folder, "package.json"), '{ "name": "mine", "private": true, "type": "module" }');
		await writeFile(join(folder, "mine.mjs"), 'console.log(typeof (await import("@svc/sdk")).createClient);');
		const options = {
			cwd: folder,
			env: { PATH: process.env.PATH, HOME: folder, npm_config_update_notifier: "false" },
			stderr: "pipe",
		} as const;
		const installed = Bun.spawnSync(["npm", "install", "--offline", "--no-audit", "--no-fund", `./${file}`], options);
		expect([installed.exitCode, installed.stderr.toString()]).toEqual([0, ""]);
		expect(Bun.spawnSync(["node", "mine.mjs"], options).stdout.toString()).toBe("function\n");
	} finally {
		await rm(folder, { recursive: true });
	}
}, 60_000);

test("/sdk/v1/ticket-upload.js is one module that pages of any origin may load, and ask for again by its ETag", async () => {
	const answer = await ask("/sdk/v1/ticket-upload.js", { headers: { Origin: "https://app.example.com" } });
	const of = (name: string) => answer.headers.get(name);
	expect([answer.status, of("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
	expect([of("access-control-allow-origin"), of("cross-origin-resource-policy")]).toEqual(["*", "cross-origin"]);
	expect(of("cache-control")).toBe("public, max-age=300");
	const text = await answer.text();
	expect(text).not.toMatch(/\bimport\b/);
	expect(text).toMatch(/export\s*\{[^}]*uploadWithTicket[^}]*\}/);
	const headers = { "If-None-Match": of("etag") ?? "" };
	expect((await ask("/sdk/v1/ticket-upload.js", { headers })).status).toBe(304);
});

test("code on a page names the service that shows the page, and prints the package that it has", async () => {
	const { file } = await sdkPackage();
	const other = await startService({
		SVC_BASE_URL: "https://pictures.example.com",
		SVC_CDN_URL: "https://img.example.com",
	});
	try {
		const page = async (path: string) => (await other.open(`https://pictures.example.com${path}`)).text();
		const html = (await page("/docs/guides/typescript")).replaceAll(/<[^>]+>/g, "");
		expect(html).toContain(`curl -fsSO https://pictures.example.com/sdk/${file}\nnpm install ./${file}\n`);
		expect(html).not.toContain("localhost:3000");
		// What a variable is without being set is no address of this service.
		expect(await page("/docs/reference/configuration")).toContain("http://localhost:3000");
	} finally {
		await other.stop();
	}
});

describe("the examples", async () => {
	const names = (await readdir(join(import.meta.dirname, "../../../examples"), { withFileTypes: true }))
		.filter((entry) => entry.isDirectory())
		.map(({ name }) => name);

	test.each(names)(
		"%s has a page with all its files, and an archive of them with what it needs of Svc",
		async (name) => {
			const page = await (await ask(`/docs/examples/${name}`)).text();
			const answer = await ask(`/docs/examples/${name}.zip`);
			expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
			const entries = await readZip(new Uint8Array(await answer.arrayBuffer()));
			const files = new Map([...entries].map(([path, content]) => [path.slice(name.length + 1), content] as const));
			for (const [path, content] of files) {
				if (path.endsWith(".tgz") || path === "README.md") continue;
				const place = path === EXAMPLE_SHEETS[name] ? "style.css" : join(name, path);
				const source = join(import.meta.dirname, "../../../examples", place);
				expect([path, Buffer.from(content).toString()]).toEqual([path, await readFile(source, "utf8")]);
				expect(page).toContain(`data-file="${path}"`);
			}
			const wanted = [...(await manifestIn(files)).matchAll(/"file:(svc-[^"]+)"/g)].map(([, file = ""]) => file);
			expect([...files.keys()].filter((path) => path.endsWith(".tgz"))).toEqual(wanted);
			expect([...files.keys()].filter((path) => /node_modules|(^|\/)\./.test(path))).toEqual([]);
		},
		60_000,
	);
});

async function manifestIn(files: ReadonlyMap<string, Uint8Array>): Promise<string> {
	return Buffer.from(files.get("package.json") ?? []).toString();
}
