import { expect, test } from "bun:test";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { form, headersOf, send } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

test("an upload that is on its way outlives the sweep, however far the clock of payments was moved", async () => {
	const operator = await addPerson(service.database, { operator: true });
	// Ahead of the time that the file has from the machine by far more than it may lie there.
	const to = new Date(Date.now() + 90 * 86_400_000).toISOString();
	const moved = await send(service, "POST", "/v1/operator/clock/advance", { to }, as(operator));
	expect(moved.status).toBe(200);

	const whole = new Response(form(await plain(300, 200), "a.png"));
	const type = whole.headers.get("Content-Type") ?? "";
	const bytes = new Uint8Array(await whole.arrayBuffer());
	const half = bytes.length / 2;
	let swept = 0;
	const body = new ReadableStream({
		start: (controller) => controller.enqueue(bytes.subarray(0, half)),
		async pull(controller) {
			await Bun.sleep(200);
			swept = (await service.sweep()).staged;
			controller.enqueue(bytes.subarray(half));
			controller.close();
		},
	});
	const headers = { ...headersOf(service), "Content-Type": type };
	const answer = await service.open("http://localhost:3000/v1/images", { method: "POST", headers, body });
	expect([answer.status, swept]).toEqual([201, 0]);
});
