import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { verifyWebhook } from "@svc/sdk/index";
import { referenceFiles } from "./reference.ts";
import { urlOf } from "./transform.ts";

const files = await referenceFiles();

test.each(files)("$path says what the code says: else `npm run generate`", async (file) => {
	expect(await readFile(urlOf(file.path), "utf8")).toBe(file.text);
});

test("the request of the webhooks' page is signed with its secret", async () => {
	const page = await readFile(urlOf("docs/reference/webhooks.md"), "utf8");
	const [, secret = ""] = /^(whsec_\S+)$/m.exec(page) ?? [];
	const [, head = "", body = ""] = /```http\n([\s\S]+?)\n\n(.+)\n```/.exec(page) ?? [];
	const headers = new Headers(head.split("\n").map((line) => line.split(": ") as [string, string]));
	const now = Number(headers.get("webhook-timestamp")) * 1_000;
	expect((await verifyWebhook(body, headers, secret, { now })).type).toBe("image.deleted");
	expect(verifyWebhook(`${body} `, headers, secret, { now })).rejects.toThrow("another secret");
});
