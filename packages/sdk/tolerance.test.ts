import { expect, test } from "bun:test";
import { createClient } from "./client.ts";

/** A service newer than this client: values that it has never heard of, and fields as well. */
const answers: Record<string, object> = {
	"/v1/usage": {
		object: "usage",
		monthly: { uploads: 1, uploads_limit: 2, uploads_remaining: 1, resets_at: "2030-01-01T00:00:00Z", week: 3 },
		totals: { images_stored: 1, storage_used_bytes: 1, storage_limit_bytes: 2, storage_remaining_bytes: 1 },
		plan: "future",
		limits_enforced: true,
		limits: { images: { used: 1, limit: 7 }, users: { used: 0, limit: null }, robots: { used: 1, limit: 1 } },
	},
	"/v1/images/img_x": {
		id: "img_x",
		object: "image",
		url: "http://localhost/h/img_x.jxl",
		sizes: {},
		format: "jxl",
		status: "dreaming",
		labels: {},
		metadata: {},
	},
};

const client = createClient({
	baseUrl: "http://localhost",
	apiKey: null,
	fetch: async (input) => Response.json(answers[new URL(String(input)).pathname]),
});

test("[versioning.unknown-plan] an unknown plan is read by its limits", async () => {
	const usage = await client.usage.get();
	expect([usage.plan, usage.limits?.images.limit]).toEqual(["future", 7]);
});

test("[versioning.unknown-enum] unknown values of known fields are no error", async () => {
	const image = await client.images.get("img_x");
	expect([image.status, image.format]).toEqual(["dreaming", "jxl"]);
});
