import { expect, test } from "bun:test";
import { createClient } from "./client.ts";
import { createManagement } from "./management.ts";

const sent: string[] = [];
const options = {
	baseUrl: "http://localhost",
	apiKey: "svc_ses_x",
	fetch: async (url: string, { method }: RequestInit) => {
		sent.push(`${method} ${new URL(url).pathname}`);
		return Response.json({});
	},
};

test("old names of calls do what the new ones do: update, add, remove, revoke, end, withdraw", async () => {
	const { images } = createClient(options);
	const svc = createManagement(options);
	const app = svc.apps.of("app_1");
	const both: readonly (readonly [() => Promise<unknown>, () => Promise<unknown>])[] = [
		[() => images.edit("img_1", {}), () => images.update("img_1", {})],
		[() => images.editMany(["img_1"], {}), () => images.updateMany(["img_1"], {})],
		[() => svc.apps.edit("app_1", {}), () => svc.apps.update("app_1", {})],
		[() => app.keys.edit("key_1", {}), () => app.keys.update("key_1", {})],
		[() => app.keys.delete("key_1"), () => app.keys.revoke("key_1")],
		[() => app.members.delete("acc_1"), () => app.members.remove("acc_1")],
		[() => app.invites.delete("inv_1"), () => app.invites.withdraw("inv_1")],
		[() => app.redirectUris.create("http://l"), () => app.redirectUris.add("http://l")],
		[() => app.webhooks.delete("whe_1"), () => app.webhooks.remove("whe_1")],
		[() => svc.sessions.delete("ses_1"), () => svc.sessions.end("ses_1")],
		[() => svc.tokens.delete("tok_1"), () => svc.tokens.revoke("tok_1")],
		[() => svc.operator.operators.create("a@example.com"), () => svc.operator.operators.add("a@example.com")],
	];
	for (const [now, old] of both) {
		await now();
		await old();
		const [first, second] = sent.splice(0);
		expect(second).toBe(first ?? "");
	}
});
