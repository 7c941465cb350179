import { afterAll, beforeAll, expect, test } from "bun:test";
import { newId } from "@svc/core/ids";
import { sql } from "drizzle-orm";
import { plain } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";

let service: OpenService;
beforeAll(async () => {
	service = await openService();
});
afterAll(() => service.close());

const WEB = "http://localhost:3000";
const visit = (path: string) => service.open(`${WEB}${path}`, { headers: { Accept: "text/html" } });
const locationOf = async (id: string) => {
	const answer = await visit(`/i/${id}`);
	return [answer.status, answer.headers.get("Location")];
};

test("[versioning.page_url-redirect-public] a saved image page of a public image leads to its file", async () => {
	const image = await uploaded(service, await plain(5, 5));
	await service.database.write([{ run: sql`UPDATE images SET public = 1 WHERE id = ${image.id}` }]);
	expect(await locationOf(image.id)).toEqual([302, image.url]);
	await send(service, "DELETE", `/v1/images/${image.id}`);
	expect(await locationOf(image.id)).toEqual([302, `${WEB}/`]);
});

test("[versioning.page_url-redirect-other] of a private, unknown or never visible image, home", async () => {
	const [hidden, unset] = [await uploaded(service, await plain(5, 5)), await uploaded(service, await plain(5, 5))];
	await service.database.write([{ run: sql`UPDATE images SET public = 0 WHERE id = ${hidden.id}` }]);
	for (const id of [hidden.id, unset.id, newId("img"), "nonsense"])
		expect(await locationOf(id)).toEqual([302, `${WEB}/`]);
});

test("the home page and the page that is not there run nothing and load nothing", async () => {
	for (const [path, status] of [
		["/", 200],
		["/nowhere", 404],
	] as const) {
		const answer = await visit(path);
		expect(answer.status).toBe(status);
		expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
		expect(await answer.text()).toContain("<h1>Svc</h1>");
	}
});
