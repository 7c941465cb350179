import { expect, test } from "bun:test";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { plain } from "../support/pictures.ts";
import { freePorts } from "../support/ports.ts";
import { removeData, startProcess } from "../support/process.ts";
import { scratchProject } from "../support/scratch-project.ts";
import { until } from "../support/workers.ts";

const EXAMPLE = join(import.meta.dirname, "../../examples/webhook-receiver");

interface Listed {
	readonly id: string;
	readonly state: string;
	readonly attempts: readonly object[];
}

/* The example as its reader runs it: with the packed SDK, on Node, and an endpoint of the App. */

test("[C] examples/webhook-receiver does once what an event says, and nothing for what the service did not sign", async () => {
	await using project = await scratchProject();
	await cp(join(EXAMPLE, "server.mjs"), join(project.folder, "server.mjs"));
	const [port] = await freePorts(1);
	const address = `http://localhost:${port}/hooks`;
	const service = await startProcess({ SVC_IMPORT_ALLOW: `localhost:${port}` });
	await service.ready();
	const printed = () => /svc_sk_test_\w{38}/.exec(service.stdout())?.[0];
	await until(() => printed() !== undefined);
	const apiKey = printed() ?? "";
	const token = /svc_pat_\w{38}/.exec(await Bun.file(join(service.dataDir, "profiles.json")).text())?.[0];
	const ask = async (method: string, path: string, body?: unknown, key = token) => {
		const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
		const sent = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
		const answer = await fetch(`${service.baseUrl}/v1${path}`, sent);
		expect(answer.ok).toBe(true);
		return (await answer.json()) as { readonly id: string; readonly secret: string; readonly data: readonly Listed[] };
	};
	const [app] = (await ask("GET", "/apps")).data;
	const hooks = `/apps/${app?.id}/webhook_endpoints`;
	const endpoint = await ask("POST", hooks, { url: address, types: ["image.*"] });
	const receiver = Bun.spawn(["node", "server.mjs"], {
		cwd: project.folder,
		env: { PATH: process.env.PATH, PORT: String(port), SVC_WEBHOOK_SECRET: endpoint.secret },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	let said = "";
	const listening = (async () => {
		for await (const text of receiver.stdout.pipeThrough(new TextDecoderStream())) said += text;
	})();
	const deliveries = async () => (await ask("GET", `${hooks}/${endpoint.id}/deliveries`)).data;
	const allDelivered = async () => (await deliveries()).every(({ state }) => state === "delivered");
	try {
		await until(() => said.includes("Waiting for events"));
		const form = new FormData();
		form.append("file", new Blob([await plain(30, 20)]), "a.png");
		const headers = { Authorization: `Bearer ${apiKey}` };
		const made = await fetch(`${service.baseUrl}/v1/images`, { method: "POST", headers, body: form });
		const { id } = (await made.json()) as { readonly id: string };
		await until(() => said.includes("a.png has come"));
		await until(allDelivered);
		const [first] = await deliveries();
		await ask("POST", `${hooks}/${endpoint.id}/deliveries/${first?.id}/redeliver`);
		await until(async () => (await deliveries())[0]?.attempts.length === 2 && (await allDelivered()));
		await ask("DELETE", `/images/${id}`, undefined, apiKey);
		await until(() => said.includes(`${id} is gone`));
		expect(said.match(/has come/g)).toHaveLength(1);

		const forged = {
			"webhook-id": "evt_1",
			"webhook-timestamp": `${Math.floor(Date.now() / 1000)}`,
			"webhook-signature": "v1,AAAA",
		};
		const body = JSON.stringify({ id: "evt_1", type: "image.deleted", data: { object: { id: "forged" } } });
		expect((await fetch(address, { method: "POST", headers: forged, body })).status).toBe(400);
		expect((await fetch(address, { method: "POST", body: "x".repeat(1_000_001) })).status).toBe(400);
		expect(said).not.toContain("forged");
	} finally {
		receiver.kill();
		await receiver.exited;
		await listening;
		await service.stop();
		await removeData(service.dataDir);
	}
});
