import { beforeAll, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { addApp, type TestApp } from "../../support/apps.ts";
import { placeholdersMade } from "../../support/background.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/* What is kept of a picture outlasts what is written of others, and nothing that is written of its own. */

const service = serviceFor();
let [app, other]: readonly (TestApp | undefined)[] = [];

beforeAll(async () => {
	[app, other] = [await addApp(service.database), await addApp(service.database)];
});

let width = 20;
const put = async (of = app): Promise<Image> =>
	uploaded(service, await plain(width++, 16), "a.png", {}, { key: of?.key ?? "" });
const call = async (method: string, path: string, body?: object, of = app): Promise<void> => {
	const { status } = await send(service, method, path, body, { key: of?.key ?? "" });
	expect([200, 204, 207]).toContain(status);
};

const requestFor = ({ url }: Image) => new Request(`${url}?w=8`, { headers: { Host: new URL(url).host } });
const isKept = (image: Image) => service.sites.cdnAgain(requestFor(image))?.status === 200;

/** A picture that has been shown so often that it is kept. */
async function shown(): Promise<Image> {
	const image = await put();
	// Which changes what is kept of it, too.
	await placeholdersMade(service);
	for (let times = 0; times < 3; times++) await (await service.handle(requestFor(image))).arrayBuffer();
	expect(isKept(image)).toBe(true);
	return image;
}

test("what is kept of a picture outlasts labels, batches, uploads and deletions of others, in its own storage and elsewhere", async () => {
	const image = await shown();
	for (const of of [app, other]) {
		const [one, two] = [await put(of), await put(of)];
		expect(isKept(image)).toBe(true);
		await call("PATCH", `/v1/images/${one.id}`, { labels: { a: "b" } }, of);
		expect(isKept(image)).toBe(true);
		await call("PATCH", "/v1/images/batch", { ids: [one.id, two.id], labels: { c: "d" } }, of);
		expect(isKept(image)).toBe(true);
		await call("DELETE", `/v1/images/${one.id}`, undefined, of);
		expect(isKept(image)).toBe(true);
		await call("DELETE", "/v1/images/batch", { ids: [two.id] }, of);
		expect(isKept(image)).toBe(true);
	}
});

test("nothing is kept of a picture whose change or deletion was acknowledged, by itself or with many", async () => {
	const changes: readonly ((id: string) => Promise<void>)[] = [
		(id) => call("PATCH", `/v1/images/${id}`, { labels: { a: "b" } }),
		(id) => call("PATCH", "/v1/images/batch", { ids: [id], labels: { a: "b" } }),
		(id) => call("DELETE", `/v1/images/${id}`),
		(id) => call("DELETE", "/v1/images/batch", { ids: [id] }),
	];
	for (const change of changes) {
		const image = await shown();
		await change(image.id);
		expect(isKept(image)).toBe(false);
	}
});
