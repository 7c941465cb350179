import { expect, test } from "bun:test";
import { addApp } from "../../support/apps.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_KEY_RATE: "1", SVC_CREATE_RATE: "1", SVC_TUNING: "key_burst=20,create_burst=5" });
const file = await plain(5, 5);

test("429 past the burst of a key, with when to come back; other keys go on [errors.code.rate_limited, errors.code.rate_limited-retry, errors.type.rate_limit_error, errors.action-wait-meaning, limits.header.retry-after]", async () => {
	const { key } = await addApp(service.database);
	const answers = await Promise.all(
		Array.from({ length: 25 }, () => send(service, "GET", "/v1/usage", undefined, { key })),
	);
	const refused = answers.filter(({ status }) => status === 429);
	expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(20);
	expect(refused.length).toBeGreaterThan(0);
	for (const answer of refused) {
		const after = Number(answer.headers.get("Retry-After"));
		expect(answer.headers.has("X-Storage-Used")).toBe(true);
		expect(await errorOf(answer)).toMatchObject({
			type: "rate_limit_error",
			code: "rate_limited",
			action: { type: "wait", retry_after: after },
		});
		expect(after).toBe(1);
	}
	const other = await addApp(service.database);
	expect((await send(service, "GET", "/v1/usage", undefined, { key: other.key })).status).toBe(200);
	await Bun.sleep(1_000);
	expect((await send(service, "GET", "/v1/usage", undefined, { key })).status).toBe(200);
});

test("creates have a limit of their own, asked before the body is read; reads go on", async () => {
	const { key } = await addApp(service.database);
	const answers = await Promise.all(Array.from({ length: 8 }, () => upload(service, file, "a.png", {}, { key })));
	expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThanOrEqual(5);
	expect(answers.some(({ status }) => status === 429)).toBe(true);
	expect((await send(service, "GET", "/v1/images", undefined, { key })).status).toBe(200);
});
