import { afterEach, expect, test } from "bun:test";
import { createServer, type Server } from "node:net";
import { connectionOptions } from "@svc/mail/smtp-connection";
import { type SmtpBehaviour, startSmtp } from "../support/smtp.ts";
import { MAIL, serverAt, transportTo } from "../support/smtp-transport.ts";

/* Servers that say nothing: a try ends all the same, and knows whether the mail may have been taken. */

const stops: (() => unknown)[] = [];

afterEach(async () => {
	for (const stop of stops.splice(0)) await stop();
});

const deliverTo = (url: string) => transportTo(url, { stepMs: 300, totalMs: 600 }).deliver(MAIL);

test.each([
	["at the door", { connect: () => "hang" }, "failed", 0],
	["to the recipient", { recipient: () => "hang" }, "failed", 0],
	["once it has the mail", { mail: () => "hang" }, "uncertain", 1],
] satisfies [string, SmtpBehaviour, string, number][])("silence %s", async (_, behaviour, kind, mails) => {
	const smtp = await startSmtp(behaviour);
	stops.push(smtp.stop);
	expect((await deliverTo(smtp.url)).kind).toBe(kind as "failed");
	expect(smtp.mails).toHaveLength(mails);
});

test("a server that talks for ever and never comes to the point", async () => {
	const chatty: Server = createServer((socket) => {
		socket.on("error", () => undefined);
		const timer = setInterval(() => socket.write("220-please wait\r\n"), 20);
		socket.on("close", () => clearInterval(timer));
	});
	await new Promise<void>((resolve) => chatty.listen(0, "127.0.0.1", resolve));
	stops.push(() => chatty.close());
	const { port } = chatty.address() as { port: number };
	expect((await deliverTo(`smtp://127.0.0.1:${port}`)).kind).toBe("failed");
});

test("what is no SMTP server at all", async () => {
	const web = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
	stops.push(() => web.stop(true));
	expect((await deliverTo(`smtp://127.0.0.1:${web.port}`)).kind).toBe("failed");
	expect((await deliverTo(`smtps://127.0.0.1:${web.port}`)).kind).toBe("failed");
});

test("a password needs TLS, and TLS a valid certificate, except on this machine", () => {
	const options = (url: string) => {
		const { secure, requireTLS, tls } = connectionOptions(serverAt(url), 1, 1);
		return { secure, requireTLS, verified: tls?.rejectUnauthorized };
	};
	expect(options("smtp://u:p@mail.example")).toEqual({ secure: false, requireTLS: true, verified: true });
	expect(options("smtp://mail.example")).toEqual({ secure: false, requireTLS: false, verified: true });
	expect(options("smtps://u:p@mail.example")).toEqual({ secure: true, requireTLS: false, verified: true });
	expect(options("smtp://u:p@localhost")).toEqual({ secure: false, requireTLS: false, verified: false });
	expect(options("smtp://u:p@[::1]:2525")).toEqual({ secure: false, requireTLS: false, verified: false });
	expect(options("smtp://u:p@127.0.0.1.evil.example")).toMatchObject({ requireTLS: true, verified: true });
});
