import { afterEach, expect, test } from "bun:test";
import { type SmtpReceiver, startSmtp } from "../support/smtp.ts";
import { MAIL, transportTo } from "../support/smtp-transport.ts";

/* Connections to a mail server are kept for the next mail, and the server may end them whenever it likes. */

const stops: (() => unknown)[] = [];

afterEach(async () => {
	for (const stop of stops.splice(0).reverse()) await stop();
});

async function open(idleMs: number): Promise<{ smtp: SmtpReceiver; transport: ReturnType<typeof transportTo> }> {
	const smtp = await startSmtp();
	stops.push(smtp.stop);
	const transport = transportTo(smtp.url, { idleMs });
	stops.push(transport.close);
	return { smtp, transport };
}

test("a connection takes a hundred mails, and the next one a new connection", async () => {
	const { smtp, transport } = await open(60_000);
	for (let sent = 0; sent < 100; sent++) expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	expect(smtp.connections.total).toBe(1);
	expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	expect(smtp.connections.total).toBe(2);
	expect(smtp.mails).toHaveLength(101);
});

test("a connection that has nothing to do is ended, and not before the next mail has had the chance to use it", async () => {
	const { smtp, transport } = await open(1_500);
	for (let sent = 0; sent < 3; sent++) expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	expect(smtp.connections.total).toBe(1);
	while (smtp.open() > 0) await Bun.sleep(5);
	expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	expect(smtp.connections.total).toBe(2);
});

test("a server that ends a kept connection with 421 gets the mail over a new one, in the same try", async () => {
	const { smtp, transport } = await open(60_000);
	expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	let busy = true;
	smtp.behaviour = {
		recipient() {
			if (!busy) return undefined;
			busy = false;
			return { code: 421 };
		},
	};
	expect((await transport.deliver(MAIL)).kind).toBe("accepted");
	smtp.behaviour = { recipient: () => ({ code: 421 }) };
	expect((await transport.deliver(MAIL)).kind).toBe("failed");
	expect([smtp.connections.total, smtp.mails.length]).toEqual([3, 2]);
});
