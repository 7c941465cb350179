import { expect, test } from "bun:test";
import { removeData, startProcess } from "../support/process.ts";
import { startSmtp } from "../support/smtp.ts";

/* The whole way: the real process, a real mail server, and the code as it stands in the mail. */

test("a code that was asked for arrives by mail, and signs in, once", async () => {
	const arrived = Promise.withResolvers<string>();
	const smtp = await startSmtp({
		mail: ({ parsed }) => {
			arrived.resolve(/^\d{6}$/m.exec(parsed.text ?? "")?.[0] ?? "");
			return undefined;
		},
	});
	const server = await startProcess(smtp.env);
	await server.ready();
	const post = (path: string, body: object) =>
		fetch(`${server.baseUrl}/v1${path}`, {
			method: "POST",
			body: JSON.stringify(body),
			headers: { "Content-Type": "application/json" },
		});
	const asked = await post("/sessions/login", { email: "ada@example.com", client: "test" });
	expect(asked.status).toBe(202);
	const { id, secret } = (await asked.json()) as { id: string; secret: string };
	const code = await arrived.promise;
	expect(code).toMatch(/^\d{6}$/);
	const verify = () => post(`/sessions/login/${id}/verify`, { secret, code });
	expect((await verify()).status).toBe(201);
	expect((await verify()).status).toBe(422);
	expect(await server.stop()).toBe(0);
	expect(smtp.mails).toHaveLength(1);
	expect(server.stdout() + server.stderr()).not.toContain(code);
	await smtp.stop();
	await removeData(server.dataDir);
});
