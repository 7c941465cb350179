import { afterAll, beforeAll, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import { plain } from "../support/pictures.ts";
import { type Moderated, startModerated } from "./moderated.ts";

const ESCAPE = "\u001b";

let world: Moderated;

const tickets = () => createClient({ baseUrl: world.service.baseUrl, apiKey: world.service.apiKey }).tickets;
const open = ["--screen", "tickets"];

beforeAll(async () => {
	world = await startModerated([]);
});

afterAll(() => world[Symbol.asyncDispose]());

test("an empty screen says how a ticket is made; T leads to it from any other [tui.tickets.empty]", async () => {
	await using program = world.start();
	await program.until("No image is in this queue.");
	program.type("T");
	await program.until("svc tickets create");
});

test("tickets are listed with their state, and the detail says what they take and what was refused [tui.tickets.detail]", async () => {
	const ticket = await tickets().create({
		formats: ["jpg"],
		origins: ["https://app.example.com"],
		fields: { labels: { album: "x" } },
	});
	const file = new Blob([new Uint8Array(await plain(4, 4))]);
	await uploadWithTicket(String(ticket.url), file).catch(() => undefined);
	await using program = world.start({ args: open });
	const lines = await program.until(/○ open +img_/);
	const text = lines.join("\n");
	for (const wanted of [
		ticket.image_id,
		"jpg",
		"https://app.example.com",
		'{"album":"x"}',
		"Uploads that were judged: 1",
	]) {
		expect(text).toContain(wanted);
	}
	expect(text).toMatch(/refused +validation_error/);
	expect(text).toMatch(/file +is a PNG file; send JPEG/);
	// Whoever has the address may upload: it is copied, and on no screen.
	expect(text).not.toContain(String(ticket.url).split("/").at(-1) ?? "");
	program.type("c");
	await program.until(`Copied the address of ${ticket.id}.`);
	await program.untilWritten(Buffer.from(String(ticket.url)).toString("base64"));
	await tickets().cancel(ticket.id);
});

test("x cancels once the end of the id is typed, and not before [tui.tickets.cancel]", async () => {
	const ticket = await tickets().create();
	await using program = world.start({ args: open });
	await program.until(ticket.image_id);
	program.type("xnope\r");
	await program.until("That is not what has to be typed");
	expect((await tickets().get(ticket.id)).state).toBe("open");
	program.type(`${ESCAPE}`);
	await program.until("Nothing was changed.");
	program.type(`x${ticket.id.slice(-4)}\r`);
	await program.until("1 ticket cancelled.");
	await program.until(/▸ {2}⛒ cancelled/);
	expect((await tickets().get(ticket.id)).state).toBe("cancelled");
});

test("marked tickets are cancelled once their number is typed; one that was used meanwhile stays marked and says why [tui.tickets.batch]", async () => {
	const made = [await tickets().create(), await tickets().create(), await tickets().create()] as const;
	await using program = world.start({ args: open });
	await program.until(made[0].image_id);
	await uploadWithTicket(String(made[1].url), new Blob([new Uint8Array(await plain(4, 4))]));
	program.type("   x");
	await program.until("Cancel 3 tickets for good? Type 3 and Enter:");
	program.type("3\r");
	await program.until(/✗ .+\(request req_/);
	await program.until("1 marked");
	const states = await Promise.all(made.map(async ({ id }) => (await tickets().get(id)).state));
	expect(states).toEqual(["cancelled", "used", "cancelled"]);
});

test("s shows one state after the other [tui.tickets.states]", async () => {
	const { image_id } = await tickets().create();
	await using program = world.start({ args: open });
	await program.until(image_id);
	program.type("ss");
	const used = await program.until(/Tickets · used .* 1\/1 /);
	expect(used.join("\n")).not.toContain(image_id);
});

test("read-only: no key cancels [tui.tickets.read-only]", async () => {
	const ticket = await tickets().create();
	await using program = world.start({ args: [...open, "--read-only"] });
	await program.until(ticket.image_id);
	program.type("x?");
	const keys = await program.until("All keys");
	expect(keys.join("\n")).not.toContain("Cancel");
	expect((await tickets().get(ticket.id)).state).toBe("open");
});
