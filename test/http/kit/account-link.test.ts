import { expect, test } from "bun:test";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_WEB_URL: "http://pages.test:4000" });

test("302 from /account at the API's address to the pages, which have their own", async () => {
	const answer = await service.api("/account", { headers: {}, redirect: "manual" });
	expect([answer.status, answer.headers.get("location")]).toEqual([302, "http://pages.test:4000/account"]);
});
