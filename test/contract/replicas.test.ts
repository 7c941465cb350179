import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../support/libsql-server.ts";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { send, upload, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

/* A service that reaches its database through a real read replica of a libSQL server. */

describe.skipIf(withoutLibsql)(`a service behind a replica of the libSQL server${libsqlNote}`, () => {
	let primary: LibsqlServer;
	let replica: LibsqlServer;
	let service: OpenService;
	let file: Buffer<ArrayBuffer>;

	beforeAll(async () => {
		const [port] = await freePorts(1);
		primary = await startLibsql(["--grpc-listen-addr", `127.0.0.1:${port}`]);
		replica = await startLibsql(["--primary-grpc-url", `http://127.0.0.1:${port}`]);
		file = await plain(6, 6);
		service = await openService({ SVC_DATABASE_URL: replica.url });
	}, 120_000);
	afterAll(async () => {
		await service.close();
		await replica[Symbol.asyncDispose]();
		await primary[Symbol.asyncDispose]();
	});

	test("starts for the first time, and reads what it wrote", async () => {
		const image = await uploaded(service, file);
		for (let turn = 0; turn < 10; turn += 1) {
			const caption = `turn ${turn}`;
			expect((await send(service, "PATCH", `/v1/images/${image.id}`, { caption })).status).toBe(200);
			const seen = (await (await send(service, "GET", `/v1/images/${image.id}`)).json()) as Image;
			expect(seen.caption).toBe(caption);
		}
		expect((await send(service, "DELETE", `/v1/images/${image.id}`)).status).toBe(200);
		expect((await send(service, "GET", `/v1/images/${image.id}`)).status).toBe(404);
	});

	test("tells what the conditions of a change have refused", async () => {
		const caller = { headers: { "Idempotency-Key": "one" } };
		const answers = await Promise.all(Array.from({ length: 6 }, () => upload(service, file, "a.png", {}, caller)));
		const statuses = answers.map(({ status }) => status);
		expect(statuses).toContain(201);
		expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
		const made = answers.filter(({ status }) => status === 201);
		const ids = await Promise.all(made.map(async (answer) => ((await answer.json()) as Image).id));
		expect(new Set(ids).size).toBe(1);
	});
});
