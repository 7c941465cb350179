import { afterAll, beforeAll, expect, test } from "bun:test";
import type { UploadTicket } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { type StartedService, startService } from "../support/service.ts";
import { useTicket } from "../support/tickets.ts";

let service: StartedService;
let program: Program;

beforeAll(async () => {
	service = await startService();
	program = await openProgram(service);
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

test("a ticket is made with all that it takes, listed, shown and cancelled", async () => {
	const made = await program.json<UploadTicket>(
		...["tickets", "create", "--expires-in", "10m", "--max-bytes", "5000", "--formats", "jpg,heic"],
		...["--origin", "https://app.example.com", "--origin", "https://www.example.com", "--label", "album=x"],
		...["--caption", "A", "--external-id", "order-1"],
	);
	expect(made).toMatchObject({
		state: "open",
		max_bytes: 5_000,
		formats: ["jpg", "heic"],
		origins: ["https://app.example.com", "https://www.example.com"],
		fields: { caption: "A", labels: { album: "x" }, external_id: "order-1" },
	});
	expect(Date.parse(made.expires_at) - Date.parse(made.created_at)).toBe(600_000);
	expect((await program.svc("tickets", "list", "--state", "open", "--field", "id")).out).toBe(`${made.id}\n`);
	expect((await program.svc("tickets", "get", made.id, "--field", "url")).out).toBe(`${made.url}\n`);
	expect((await program.json<UploadTicket>("tickets", "cancel", made.id)).state).toBe("cancelled");
	expect((await program.svc("tickets", "list", "--state", "open")).out).toBe("");
});

test("one that was used says where its image is; words that it does not know are refused", async () => {
	const made = await program.json<UploadTicket>("tickets", "create");
	expect((await useTicket(service, { url: made.url ?? "" }, await plain(4, 4))).status).toBe(201);
	const refused = await program.svc("tickets", "cancel", made.id);
	expect([refused.exit === 0, refused.err]).toEqual([false, expect.stringContaining(made.image_id)]);
	expect((await program.svc("tickets", "get", made.id, "--field", "state")).out).toBe("used\n");
	expect((await program.svc("tickets", "create", "--formats", "svg")).exit).toBe(2);
	expect((await program.svc("tickets", "create", "--max-bytes", "much")).exit).toBe(2);
	expect((await program.svc("tickets", "list", "--state", "lost")).exit).toBe(2);
});
