import { describe, expect, spyOn, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { ApiError, ConnectionError } from "@svc/sdk/failure";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import type { Fetch } from "@svc/sdk/wire/request";
import { noise } from "../support/pictures.ts";
import { madeBefore, serviceFor } from "../support/service.ts";

/* Without XMLHttpRequest, as in Node and in workers of servers; what browsers do is in test/e2e/ticket-pages.test.ts. */

const service = serviceFor();
const picture = madeBefore(async () => ({ file: new File([await noise(40, 30)], "IMG_1.jpg") }));

const open: Fetch = (url, init) => service.open(url, init);

async function newTicket() {
	const client = createClient({ baseUrl: service.rooms.addresses.base, apiKey: service.apiKey, fetch: open });
	const { id, url, image_id } = await client.tickets.create({ expiresIn: "10m", fields: { labels: { album: "x" } } });
	return { id, url: url ?? "", image_id, get: () => client.tickets.get(id), cancel: () => client.tickets.cancel(id) };
}

describe("uploadWithTicket", () => {
	test("gives the image, and tells of the beginning and the end", async () => {
		const ticket = await newTicket();
		const sent: number[] = [];
		const image = await uploadWithTicket(ticket.url, picture.file, {
			fetch: open,
			onProgress: ({ sentBytes }) => void sent.push(sentBytes),
		});
		expect(image).toMatchObject({ id: ticket.image_id, filename: "IMG_1.jpg", labels: { album: "x" } });
		expect(sent).toEqual([0, picture.file.size]);
		expect((await ticket.get()).state).toBe("used");
	});

	test("goes on whatever onProgress throws, which the console shows, and tells nothing of an empty file", async () => {
		const ticket = await newTicket();
		const shown = spyOn(console, "error").mockImplementation(() => undefined);
		try {
			const onProgress = () => {
				throw new TypeError("of the page");
			};
			const image = await uploadWithTicket(ticket.url, picture.file, { fetch: open, onProgress });
			expect([image.id, shown.mock.calls.length]).toEqual([ticket.image_id, 2]);
			const empty = uploadWithTicket((await newTicket()).url, new Blob([]), { fetch: open, onProgress });
			await expect(empty).rejects.toMatchObject({ status: 422, code: "validation_error" });
			expect(shown.mock.calls.length).toBe(2);
		} finally {
			shown.mockRestore();
		}
	});

	test("sends the same bytes again after a lost answer, and an answer that asks to wait", async () => {
		const ticket = await newTicket();
		let tries = 0;
		const lossy: Fetch = async (url, init) => {
			tries += 1;
			if (tries === 1) {
				await open(url, init);
				throw new TypeError("the connection was cut");
			}
			if (tries > 2) return await open(url, init);
			const error = { type: "idempotency_error", code: "idempotency_key_in_progress", message: "wait" };
			return Response.json({ error }, { status: 409 });
		};
		const image = await uploadWithTicket(ticket.url, picture.file, { fetch: lossy });
		expect([tries, image.id]).toEqual([3, ticket.image_id]);
		expect((await ticket.get()).attempts).toBe(1);
	});

	test("gives up after as many tries as it is allowed, with what the last one failed with", async () => {
		let tries = 0;
		const cut: Fetch = () => {
			tries += 1;
			return Promise.reject(new TypeError("the connection was cut"));
		};
		const { url } = await newTicket();
		const outcome = await uploadWithTicket(url, picture.file, { fetch: cut, retries: 1 }).catch(
			(cause: unknown) => cause,
		);
		expect([tries, outcome instanceof ConnectionError && outcome.reason]).toEqual([2, "network"]);
	});

	test("says at once what no other try would change", async () => {
		const ticket = await newTicket();
		const text = new Blob(["no picture"]);
		const refused = await uploadWithTicket(ticket.url, text, { fetch: open }).catch((cause: unknown) => cause);
		expect(refused).toBeInstanceOf(ApiError);
		expect(refused).toMatchObject({ status: 422, code: "validation_error", details: { file: [expect.any(String)] } });
		await ticket.cancel();
		const ended = await uploadWithTicket(ticket.url, picture.file, { fetch: open }).catch((cause: unknown) => cause);
		expect(ended).toMatchObject({ status: 409, code: "state_conflict" });
	});

	test("ends with the signal's reason, also while it waits for its next try", async () => {
		const controller = new AbortController();
		const cut: Fetch = () => {
			queueMicrotask(() => controller.abort("enough"));
			return Promise.reject(new TypeError("the connection was cut"));
		};
		const { url } = await newTicket();
		const options = { fetch: cut, signal: controller.signal };
		expect(await uploadWithTicket(url, picture.file, options).catch((cause: unknown) => cause)).toBe("enough");
	});

	test("takes a page of a proxy for none of the service's answers", async () => {
		const { url } = await newTicket();
		const portal: Fetch = async () => new Response("<h1>Welcome to our network</h1>");
		const outcome = uploadWithTicket(url, picture.file, { fetch: portal, retries: 0 });
		expect(await outcome.catch((cause: unknown) => cause)).toMatchObject({ reason: "malformed" });
	});
});
