import { describe, expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isForKeys } from "@svc/cli/commands/program/api";
import sharp from "sharp";
import { addConnectApp, connectLink } from "../../support/connect.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { openService, serviceFor } from "../../support/service.ts";

/* Sentences of the documentation that promise a behaviour, tried. Each test names the page. */

const DOCS = join(import.meta.dirname, "../../../docs");
const service = serviceFor();
const page = (name: string) => readFile(join(DOCS, name), "utf8");
const ask = (path: string) => service.open(`http://localhost:3000${path}`);

test("operate/security.md: an open address gives place and device to whoever asks for them, and a delivery policy forbids it", async () => {
	const exif = { IFD0: { Model: "DeviceX" }, IFD3: { GPSLatitudeRef: "N", GPSLatitude: "51/1 30/1 0/1" } };
	const file = await sharp(await plain(60, 40, "jpeg"))
		.withExif(exif)
		.jpeg()
		.toBuffer();
	const image = await uploaded(service, file as Buffer<ArrayBuffer>, "a.jpg");
	const answer = (query: string) => service.open(image.url + query);
	const told = async (query: string) => Buffer.from(await (await answer(query)).arrayBuffer()).includes("DeviceX");
	expect([await told(""), await told("?w=30"), await told("?metadata=keep")]).toEqual([false, false, true]);
	const headers = { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" };
	const { data } = (await (await service.api("/v1/apps", { headers })).json()) as { data: readonly { id: string }[] };
	for (const delivery of ["presets", "signed"]) {
		const body = JSON.stringify({ delivery });
		expect((await service.api(`/v1/apps/${data[0]?.id}`, { method: "PATCH", headers, body })).status).toBe(200);
		expect([delivery, (await answer("?metadata=keep")).status]).toEqual([delivery, 403]);
	}
	expect(await page("operate/security.md")).toContain("?metadata=keep");
});

describe("operate/security.md and SECURITY.md: SVC_SUPPORT_EMAIL and /.well-known/security.txt", () => {
	test("the file names the address, and an end within a year (RFC 9116, 2.5.3 and 2.5.5)", async () => {
		const one = await openService({ SVC_SUPPORT_EMAIL: "security@example.com" });
		const answer = await one.open("http://localhost:3000/.well-known/security.txt");
		expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
		const text = await answer.text();
		expect(text).toContain("Contact: mailto:security@example.com\n");
		expect(text).toContain("Canonical: http://localhost:3000/.well-known/security.txt\n");
		const [, ends = ""] = /^Expires: (.+)$/m.exec(text) ?? [];
		const days = (Date.parse(ends) - one.clock.now()) / 86_400_000;
		expect([days > 90, days < 366]).toEqual([true, true]);
		await one.close();
	});

	test("without it there is no such file", async () => {
		expect((await ask("/.well-known/security.txt")).status).toBe(404);
	});
});

test("guides/sign-in.md: people sign in to an App by a mailed code, and no passkey is offered there", async () => {
	const app = await addConnectApp(service.database);
	const html = await (await ask(connectLink(app))).text();
	expect(html).not.toMatch(/passkey/i);
	const [, opening = ""] = (await page("guides/sign-in.md")).split("\n\n");
	expect(opening).not.toMatch(/passkey/i);
});

test("reference/errors.md: `upgrade` and an address to buy at are of older interfaces alone", async () => {
	const text = await page("reference/errors.md");
	expect(text).toContain("Only an older interface also has `upgrade`");
	expect(text).not.toContain("action.url");
});

test("reference/cli.md: `svc api` makes each call about what an App keeps with the App, and each other one as the person", async () => {
	const { paths } = (await (await ask("/openapi.json")).json()) as {
		paths: Record<string, Record<string, { operationId?: string; parameters?: readonly { name: string }[] }>>;
	};
	const wrong: string[] = [];
	for (const [path, methods] of Object.entries(paths)) {
		for (const { operationId, parameters = [] } of Object.values(methods)) {
			const isApps = parameters.some(({ name }) => name === "X-Svc-App");
			if (operationId !== undefined && isApps && !isForKeys(path.replace(/#.*/, "")))
				wrong.push(`${operationId} ${path}`);
			if (/^\/v1\/(me|apps|operator|sessions|moderation|jobs|reports|invites)\b/.test(path) && isForKeys(path))
				wrong.push(path);
		}
	}
	expect(wrong).toEqual([]);
});
