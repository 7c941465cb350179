import { describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type Nginx, nginxNote, startNginx, withoutNginx } from "../support/nginx.ts";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { form } from "../support/requests.ts";

/* The real program behind nginx with a cache, in the configuration that the deployment files have. */

interface Place extends AsyncDisposable {
	readonly server: ServerProcess;
	/** A call to the API with the first key. */
	call(method: string, path: string, body?: BodyInit): Promise<Response>;
	upload(): Promise<Image>;
	/** What nginx answers, whether from its cache, and how many bytes. */
	look(url: string, init?: RequestInit): Promise<{ status: number; cache: string; bytes: number; headers: Headers }>;
}

async function open(file: "nginx.conf" | "nginx-purged.conf"): Promise<Place> {
	const [purges] = await freePorts(1);
	const server = await startProcess({
		...{ SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0" },
		...(file === "nginx-purged.conf" && {
			...{ SVC_PURGE: `purge+http://127.0.0.1:${purges}/purge/{tag}` },
		}),
	});
	await server.ready();
	const [key = ""] = /svc_sk_test_\w+/.exec(server.stdout()) ?? [];
	const upstream = Number(new URL(server.cdnUrl).port);
	const nginx: Nginx = await startNginx(file, { upstream, purges: Number(purges) });
	const headers = { Authorization: `Bearer ${key}` };
	const call: Place["call"] = (method, path, body) =>
		fetch(`${server.baseUrl}${path}`, { method, headers, ...(body !== undefined && { body }) });
	return {
		server,
		call,
		upload: async () => (await (await call("POST", "/v1/images", form(await plain(40, 30), "a.png"))).json()) as Image,
		async look(url, init = {}) {
			const { pathname, search, host } = new URL(url);
			const sent = { ...Object.fromEntries(new Headers(init.headers)), Host: host };
			const answer = await fetch(`http://127.0.0.1:${nginx.port}${pathname}${search}`, { ...init, headers: sent });
			const { byteLength: bytes } = await answer.arrayBuffer();
			return { status: answer.status, cache: answer.headers.get("x-cache") ?? "", bytes, headers: answer.headers };
		},
		async [Symbol.asyncDispose]() {
			await nginx[Symbol.asyncDispose]();
			await server.stop();
			await removeData(server.dataDir);
		},
	};
}

/** Whether it comes to hold: purges are told within two seconds, on a busy machine later. */
async function eventually(holds: () => Promise<boolean>): Promise<boolean> {
	for (let tries = 0; tries < 400; tries++) {
		if (await holds()) return true;
		await Bun.sleep(50);
	}
	return false;
}

describe.skipIf(withoutNginx)(`pictures behind nginx${nginxNote}`, () => {
	test("are kept as the service says, with parts and conditions answered from what is kept", async () => {
		await using place = await open("nginx.conf");
		const { url } = await place.upload();
		expect(await place.look(`${url}?w=20`)).toMatchObject({ status: 200, cache: "MISS" });
		const kept = await place.look(`${url}?w=20`);
		expect(kept).toMatchObject({ status: 200, cache: "HIT" });
		const etag = kept.headers.get("etag") ?? "";
		expect(await place.look(`${url}?w=20`, { headers: { "If-None-Match": etag } })).toMatchObject({
			status: 304,
			bytes: 0,
		});
		expect(await place.look(`${url}?w=20`, { headers: { "If-Match": '"other"' } })).toMatchObject({ status: 412 });
		expect(await place.look(`${url}?w=20`, { headers: { Range: "bytes=0-9" } })).toMatchObject({
			status: 206,
			bytes: 10,
		});
		expect(await place.look(url.replace("img_", "img_x"))).toMatchObject({ status: 404, cache: "MISS" });
		expect(await place.look(url.replace("img_", "img_x"))).toMatchObject({ status: 404, cache: "MISS" });
	}, 60_000);

	test("that are deleted, replaced, or forbidden are gone from its cache within seconds, and no others", async () => {
		await using place = await open("nginx-purged.conf");
		const { look, call } = place;
		const [gone, changed, stays, tile] = [
			await place.upload(),
			await place.upload(),
			await place.upload(),
			await place.upload(),
		];
		const tiled = `${stays.url}?tile=${tile.id}`;
		const addresses = [gone.url, `${gone.url}?w=20`, changed.url, stays.url, tiled];
		for (const expected of ["MISS", "HIT"]) {
			for (const url of addresses) expect([url, (await look(url)).cache]).toEqual([url, expected]);
		}
		const before = (await look(changed.url)).headers.get("etag");

		expect((await call("DELETE", `/v1/images/${gone.id}`)).status).toBe(200);
		expect(await eventually(async () => (await look(gone.url)).status === 404)).toBe(true);
		expect((await look(`${gone.url}?w=20`)).status).toBe(404);

		const other = form(await plain(60, 60), "b.png");
		expect((await call("POST", `/v1/images/${changed.id}/replace`, other)).status).toBe(200);
		expect(await eventually(async () => (await look(changed.url)).headers.get("etag") !== before)).toBe(true);

		// Who shows it beside its own picture is told as well.
		const withTile = (await look(tiled)).headers.get("etag");
		expect((await call("DELETE", `/v1/images/${tile.id}`)).status).toBe(200);
		expect(await eventually(async () => (await look(tiled)).headers.get("etag") !== withTile)).toBe(true);
		expect(await look(stays.url)).toMatchObject({ status: 200, cache: "HIT" });

		const [token = ""] = /svc_pat_\w+/.exec(await Bun.file(`${place.server.dataDir}/profiles.json`).text()) ?? [];
		const asOperator = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
		const { data } = (await (await fetch(`${place.server.baseUrl}/v1/apps`, { headers: asOperator })).json()) as {
			readonly data: readonly { readonly id: string }[];
		};
		const policy = { method: "PATCH", headers: asOperator, body: JSON.stringify({ delivery: "signed" }) };
		expect((await fetch(`${place.server.baseUrl}/v1/apps/${data[0]?.id}`, policy)).status).toBe(200);
		expect(await eventually(async () => (await look(stays.url)).status === 403)).toBe(true);
	}, 120_000);
});
