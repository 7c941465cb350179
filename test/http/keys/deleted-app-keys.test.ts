import { expect, test } from "bun:test";
import { addApp, addKey } from "../../support/apps.ts";
import { addSession, as } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

test("401 to the keys of an App that is deleted, at once: before its job has deleted anything", async () => {
	const app = await addApp(service.database, "Pictures");
	const keys = [app.key, await addKey(service.database, app, { reach: "bucket" })];
	const owner = as({ secret: await addSession(service.database, app.ownerId) });
	const read = (key: string) => send(service, "GET", "/v1/images", undefined, { key });
	for (const key of keys) expect((await read(key)).status).toBe(200);
	expect((await send(service, "DELETE", `/v1/apps/${app.id}?confirm_name=Pictures`, undefined, owner)).status).toBe(
		202,
	);
	for (const key of keys) {
		expect(await errorOf(await read(key))).toMatchObject({ status: 401, code: "unauthorized" });
	}
});
