import { expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { lockFromOutside } from "../../support/outside-lock.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

test("every change is told to come back while a process outside locks the database, and everything else is answered", async () => {
	const file = await plain(6, 6);
	const image = await uploaded(service, file);
	await using lock = await lockFromOutside(pathToFileURL(join(service.dataDir, "svc.db")).href);
	const changes = Promise.all([
		upload(service, file),
		upload(service, file, "a.png", {}, { headers: { "Idempotency-Key": "locked" } }),
		send(service, "PATCH", `/v1/images/${image.id}`, { caption: "new" }),
		send(service, "DELETE", `/v1/images/${image.id}`),
		send(service, "POST", "/v1/apps", { name: "Locked out" }, { key: service.token }),
	]);
	let over = false;
	void changes.finally(() => {
		over = true;
	});
	// Whoever waits for the lock lets others through: dozens of them, where there was one when SQLite did the waiting.
	let answered = 0;
	while (!over) {
		expect((await service.api("/healthz")).status).toBe(200);
		expect((await send(service, "GET", `/v1/images/${image.id}`)).status).toBe(200);
		answered += 1;
		await Bun.sleep(10);
	}
	expect(answered).toBeGreaterThan(20);
	for (const answer of await changes) {
		expect(answer.headers.get("retry-after")).toBe("2");
		const { status, code, message } = await errorOf(answer);
		expect([status, code]).toEqual([500, expect.stringMatching(/^(upload|update|delete)_failed$/)]);
		expect(message).toMatch(/nothing was (changed|kept)/);
	}
	await lock[Symbol.asyncDispose]();
	expect((await send(service, "PATCH", `/v1/images/${image.id}`, { caption: "new" })).status).toBe(200);
	const again = await upload(service, file, "a.png", {}, { headers: { "Idempotency-Key": "locked" } });
	expect(again.status).toBe(201);
}, 120_000);
