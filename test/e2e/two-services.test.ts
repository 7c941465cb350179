import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, Usage } from "@svc/sdk/shapes";
import { signUrl } from "@svc/sdk/sign-url";
import type { List } from "@svc/sdk/types";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

/* Three whole services on one libSQL server and one folder of pictures, as processes of their own. */

const KEYS = Number(process.env.SVC_TEST_SHARED_KEYS ?? 25);

let database: LibsqlServer;
let dataDir = "";
let first: ServerProcess;
let second: ServerProcess;
let third: ServerProcess;
let headers: { Authorization: string };

beforeAll(async () => {
	if (withoutLibsql) return;
	database = await startLibsql();
	dataDir = await mkdtemp(join(tmpdir(), "svc-two-"));
	const env = { SVC_DATABASE_URL: database.url, SVC_DATA_DIR: dataDir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" };
	first = await startProcess(env);
	await first.ready();
	second = await startProcess(env);
	await second.ready();
	third = await startProcess(env);
	await third.ready();
	headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(first.stdout())?.[0]}` };
});
afterAll(async () => {
	if (withoutLibsql) return;
	for (const { process } of [first, second, third]) {
		process.kill("SIGKILL");
		await process.exited;
	}
	await database[Symbol.asyncDispose]();
	await removeData(dataDir);
});

async function create(server: ServerProcess, file: Buffer<ArrayBuffer>, key?: string): Promise<Response> {
	const body = new FormData();
	body.append("file", new Blob([file]), "a.png");
	const named = key === undefined ? {} : { "Idempotency-Key": key };
	return await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers: { ...headers, ...named } });
}

async function created(server: ServerProcess): Promise<Image> {
	return (await (await create(server, await plain(20, 10))).json()) as Image;
}

const get = (server: ServerProcess, path: string) => fetch(`${server.baseUrl}/v1${path}`, { headers });
const servedBy = ({ cdnUrl }: ServerProcess, { url }: Image) => fetch(`${cdnUrl}${new URL(url).pathname}?w=5`);

describe.skipIf(withoutLibsql)(`three services on one libSQL server${libsqlNote}`, () => {
	test("what one stores the other shows, serves and counts", async () => {
		const image = await created(first);
		expect(await (await get(second, `/images/${image.id}`)).json()).toMatchObject({ id: image.id, width: 20 });
		expect((await servedBy(second, image)).status).toBe(200);
		const list = (await (await get(second, "/images")).json()) as List<Image>;
		expect(list.data.map(({ id }) => id)).toContain(image.id);
	});

	test("the delivery policy of an App, its presets and its signing keys hold at the next request to any of them", async () => {
		const { id: imageId, url } = await created(first);
		const profiles = await Bun.file(join(dataDir, "profiles.json")).text();
		const person = { Authorization: `Bearer ${/svc_pat_\w{38}/.exec(profiles)?.[0]}` };
		const call = async (method: string, path: string, body?: object) => {
			const json = body && { body: JSON.stringify(body) };
			const sent = { method, ...json, headers: { ...person, "Content-Type": "application/json" } };
			return (await (await fetch(`${first.baseUrl}/v1/apps${path}`, sent)).json()) as { id: string; secret: string };
		};
		const { app } = (await (await get(first, "/key")).json()) as { app: { id: string } };
		const others = [second, third];
		const statuses = async (target: string) => {
			const { pathname, search } = new URL(target);
			return await Promise.all(others.map(async ({ cdnUrl }) => (await fetch(`${cdnUrl}${pathname}${search}`)).status));
		};
		expect(await statuses(`${url}?w=5`)).toEqual([200, 200]);
		await call("PATCH", `/${app.id}`, { delivery: "presets" });
		expect(await statuses(`${url}?w=5`)).toEqual([403, 403]);
		expect(await statuses(`${url.replace(imageId, "img_none")}?w=5`)).toEqual([403, 403]);
		for (let round = 0; round < 5; round++) {
			const preset = await call("POST", `/${app.id}/presets`, { name: "small", parameters: { w: "5" } });
			expect(await statuses(`${url}?preset=small`)).toEqual([200, 200]);
			await call("DELETE", `/${app.id}/presets/${preset.id}`);
			expect(await statuses(`${url}?preset=small`)).toEqual([403, 403]);
			const key = await call("POST", `/${app.id}/signing_keys`, { name: "web" });
			const signed = await signUrl(url, { secret: key.secret, expiresAt: new Date(Date.now() + 600_000) });
			expect(await statuses(signed)).toEqual([200, 200]);
			await call("DELETE", `/${app.id}/signing_keys/${key.id}`);
			expect(await statuses(signed)).toEqual([403, 403]);
		}
		await call("PATCH", `/${app.id}`, { delivery: "open" });
		expect(await statuses(`${url}?w=5`)).toEqual([200, 200]);
	});

	test("what one deletes the other does not serve any more, rendered before or not", async () => {
		const image = await created(first);
		expect((await servedBy(second, image)).status).toBe(200);
		const gone = await fetch(`${first.baseUrl}/v1/images/${image.id}`, { method: "DELETE", headers });
		expect(gone.status).toBe(200);
		expect([(await servedBy(second, image)).status, (await get(second, `/images/${image.id}`)).status]).toEqual([
			404, 404,
		]);
	});

	test(
		`${KEYS} creates, each sent six times to all at once under one key, make ${KEYS} images [idem.in-progress]`,
		async () => {
			const file = await plain(30, 30);
			const before = (await (await get(first, "/usage")).json()) as Usage;
			const all = [first, second, third, first, second, third];
			const ids = new Set<string>();
			for (let key = 0; key < KEYS; key++) {
				const answers = await Promise.all(all.map((server) => create(server, file, `key ${key}`)));
				const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as { readonly id?: string }[];
				const made = new Set(bodies.flatMap(({ id }) => id ?? []));
				expect(made.size).toBe(1);
				expect(answers.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
				for (const id of made) ids.add(id);
			}
			const after = (await (await get(second, "/usage")).json()) as Usage;
			expect([ids.size, after.totals.images_stored - before.totals.images_stored]).toEqual([KEYS, KEYS]);
		},
		Math.max(60_000, KEYS * 1_000),
	);

	test("one goes on while the other ends, and finds all of it after", async () => {
		const image = await created(second);
		expect(await second.stop()).toBe(0);
		expect((await get(first, `/images/${image.id}`)).status).toBe(200);
		const next = await created(first);
		expect((await servedBy(first, next)).status).toBe(200);
	});
});
