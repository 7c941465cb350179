import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createManagement } from "@svc/sdk/management";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* An App moves from a service on a file to one on a libSQL server and back to one on a file, by the command line; everything is killed on the way. */

const CLI = join(import.meta.dirname, "../../cli/main.ts");
const IMAGES = Number(process.env.SVC_TEST_MOVED ?? 60);
const RATES = { SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" };

interface Place {
	server: ServerProcess;
	readonly token: string;
}

let database: LibsqlServer;
let folder = "";
let source: Place;
let app = "";
const places: Place[] = [];

async function open(env: Readonly<Record<string, string>>): Promise<Place> {
	const server = await startProcess({ ...RATES, ...env });
	await server.ready();
	const profiles = await Bun.file(join(server.dataDir, "profiles.json")).text();
	const place = { server, token: /svc_pat_\w{38}/.exec(profiles)?.[0] ?? "" };
	places.push(place);
	return place;
}

function svc({ server, token }: Place, ...words: readonly string[]) {
	return Bun.spawn([process.execPath, CLI, ...words], {
		env: { PATH: process.env.PATH, HOME: folder, SVC_BASE_URL: server.baseUrl, SVC_API_KEY: token },
		cwd: folder,
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
}

async function runs(place: Place, ...words: readonly string[]): Promise<string> {
	const child = svc(place, ...words);
	const [out, err, exit] = await Promise.all([
		new Response(child.stdout).text(),
		new Response(child.stderr).text(),
		child.exited,
	]);
	expect([exit, exit === 0 ? "" : err]).toEqual([0, ""]);
	return out + err;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; !(await isSo()); tries++) {
		if (tries > 4_000) throw new Error("it did not come to that");
		await Bun.sleep(10);
	}
}

const manage = ({ server, token }: Place) => createManagement({ baseUrl: server.baseUrl, apiKey: token });
const imagesOf = async (place: Place) => {
	const all = [];
	for await (const { id, url, bytes, caption } of manage(place).apps.of(app).images.all())
		all.push({ id, path: new URL(url).pathname, bytes, caption });
	return all;
};

beforeAll(async () => {
	if (withoutLibsql) return;
	folder = await mkdtemp(join(tmpdir(), "svc-moves-"));
	database = await startLibsql();
	source = await open({});
	const { apps } = manage(source);
	app = (await apps.create("Pictures")).id;
	const { secret } = await apps.of(app).keys.create({ name: "a", reach: "app", permissions: ["read", "write"] });
	for (let place = 0; place < IMAGES; place++) {
		const body = new FormData();
		body.append("file", new Blob([await plain(10 + (place % 50), 10)]), "a.png");
		body.append("caption", `${place}`);
		const headers = { Authorization: `Bearer ${secret}` };
		expect((await fetch(`${source.server.baseUrl}/v1/images`, { method: "POST", body, headers })).status).toBe(201);
	}
});
afterAll(async () => {
	if (withoutLibsql) return;
	for (const { server } of places) {
		server.process.kill("SIGKILL");
		await server.process.exited;
		await removeData(server.dataDir);
	}
	await database[Symbol.asyncDispose]();
	await rm(folder, { recursive: true });
});

describe.skipIf(withoutLibsql)(`an App moves between services${libsqlNote} [C]`, () => {
	test("from a file to a server and back, with kill -9 of every program on the way: all pictures, each once, at their addresses [C]", async () => {
		const part = join(folder, "app.zip.part");
		const first = svc(source, "apps", "export", app, "--to", "app.zip");
		await until(async () => existsSync(part) && (await stat(part)).size > 3_000);
		first.kill("SIGKILL");
		await first.exited;
		expect(existsSync(join(folder, "app.zip"))).toBe(false);
		expect(await runs(source, "apps", "export", app, "--to", "app.zip")).toContain("app.zip.part already");
		expect([(await stat(join(folder, "app.zip"))).mode & 0o777, existsSync(part)]).toEqual([0o600, false]);

		const onServer = { SVC_DATABASE_URL: database.url, SVC_DATABASE_RELAXED: "on" };
		const cell = await open(onServer);
		const importing = svc(cell, "apps", "import", "app.zip");
		await until(async () => (await countPictures(cell)) > 5);
		importing.kill("SIGKILL");
		await importing.exited;
		cell.server.process.kill("SIGKILL");
		await cell.server.process.exited;
		const [one] = await imagesOf(source);
		const { dataDir } = cell.server;
		cell.server = await startProcess({ ...RATES, ...onServer, SVC_DATA_DIR: dataDir });
		await cell.server.ready();
		expect((await fetch(`${cell.server.cdnUrl}${one?.path}`)).status).toBe(404);
		await runs(cell, "apps", "import", "app.zip");
		await sameAs(cell);
		await runs(cell, "apps", "import", "app.zip");
		await sameAs(cell);

		await runs(cell, "apps", "export", app, "--to", "back.zip");
		const back = await open({});
		await runs(back, "apps", "import", "back.zip");
		await sameAs(back);
	}, 240_000);
});

/** How many files of its data directory are about an image. */
async function countPictures({ server }: Place): Promise<number> {
	const found = await Array.fromAsync(new Bun.Glob("**/*img_*").scan({ cwd: server.dataDir }));
	return found.length;
}

async function sameAs(place: Place): Promise<void> {
	const [was, is] = [await imagesOf(source), await imagesOf(place)];
	const sorted = (all: typeof was) => all.toSorted((a, b) => a.id.localeCompare(b.id));
	expect(is).toHaveLength(IMAGES);
	expect(sorted(is)).toEqual(sorted(was));
	const servedBy = async ({ server }: Place, path: string) => {
		const served = await fetch(`${server.cdnUrl}${path}`);
		return [served.status, Buffer.from(await served.arrayBuffer()).toString("base64")] as const;
	};
	for (const { path } of is) expect(await servedBy(place, path)).toEqual(await servedBy(source, path));
}
