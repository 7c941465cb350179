import { expect, test } from "bun:test";
import { serviceFor } from "../../support/service.ts";

/* What anybody may call without a key. */

const service = serviceFor({
	SVC_VARIANT: "current",
	SVC_KEY_RATE: "1000",
	SVC_BOOTSTRAP_SECRET: "a secret that nobody guesses in a test",
});

const OPEN = [
	"/v1/reports",
	"/v1/sessions/login",
	"/v1/sessions/login/log_1/verify",
	"/v1/sessions/passkey/verify",
	"/v1/processor/events",
	"/v1/operator/bootstrap",
];

/** Whether a byte of the body was asked for. */
async function post(path: string, from: string, body = "{}"): Promise<{ status: number; read: boolean }> {
	let read = false;
	const stream = new ReadableStream<Uint8Array>(
		{
			pull(controller) {
				read = true;
				controller.enqueue(new TextEncoder().encode(body));
				controller.close();
			},
		},
		{ highWaterMark: 0 },
	);
	const headers = { Host: "localhost:3000", "Content-Type": "application/json" };
	const request = new Request(`http://localhost:3000${path}`, { method: "POST", headers, body: stream });
	const answer = await service.handle(request, () => from);
	return { status: answer.status, read };
}

test("429 for a network after 120 refusals in a minute, at each open route, before a byte of the body is read", async () => {
	const refused: number[] = [];
	// Two a second are forgiven meanwhile, however long a busy machine takes.
	while (refused.at(-1) !== 429 && refused.length < 500)
		refused.push((await post("/v1/reports", "203.0.113.7")).status);
	expect(new Set(refused.splice(0, 120))).toEqual(new Set([422]));
	expect(refused.at(-1)).toBe(429);
	const answers = await Promise.all(OPEN.map(async (path) => [path, await post(path, "203.0.113.7")]));
	expect(answers).toEqual(OPEN.map((path) => [path, { status: 429, read: false }]));
	expect(await post("/v1/reports", "203.0.113.8")).toEqual({ status: 422, read: true });
});

test("what is not refused does not count", async () => {
	const from = "203.0.113.9";
	for (let turn = 0; turn < 5; turn++) {
		const statuses = Array.from({ length: 26 }, async (_, one) => {
			const email = `somebody${turn}.${one}@example.com`;
			return (await post("/v1/sessions/login", from, JSON.stringify({ email }))).status;
		});
		await Promise.all(statuses);
	}
	expect((await post("/v1/processor/events", from)).status).not.toBe(429);
});

test("429 for a network that has reported enough, before a byte of its next report is read", async () => {
	const from = "203.0.113.10";
	const url = "http://localhost:3001/t/img_0000000000000000000000.jpg";
	const body = JSON.stringify({ url, reason: "spam" });
	for (let turn = 0; turn < 10; turn++) expect((await post("/v1/reports", from, body)).status).toBe(202);
	expect(await post("/v1/reports", from, body)).toEqual({ status: 429, read: false });
});
