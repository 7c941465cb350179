import { expect, test } from "bun:test";
import { createClient } from "./client.ts";
import { ConnectionError } from "./failure.ts";
import { createManagement } from "./management.ts";

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

test("an unknown plan is read by its limits [versioning.unknown-plan]", async () => {
	const usage = await client.usage.get();
	expect([usage.plan, usage.limits?.images.limit]).toEqual(["future", 7]);
});

test("unknown values of known fields are no error [versioning.unknown-enum]", async () => {
	const image = await client.images.get("img_x");
	expect([image.status, image.format]).toEqual(["dreaming", "jxl"]);
});

const foreign: Readonly<Record<string, () => Response>> = {
	page: () => new Response("<h1>Welcome</h1>", { headers: { "content-type": "text/html" } }),
	empty: () => new Response(null, { status: 204 }),
	null: () => Response.json(null),
	array: () => Response.json([1]),
	text: () => Response.json("ok"),
};

test.each(Object.keys(foreign))("an answer without an object is not the service's: %s [sdk.foreign]", async (name) => {
	const options = {
		...{ baseUrl: "http://localhost", apiKey: null, retries: 0 },
		fetch: async () => foreign[name]?.() ?? Response.error(),
	};
	const [client, management] = [createClient(options), createManagement(options)];
	for (const call of [
		client.images.get("img_x"),
		client.images.list(),
		client.images.delete("img_x"),
		client.key.get(),
		management.me.get(),
		management.apps.list(),
		management.apps.create("x"),
	]) {
		const error = await call.catch((thrown: unknown) => thrown);
		expect(error).toBeInstanceOf(ConnectionError);
		expect((error as ConnectionError).reason).toBe("malformed");
	}
	// Of any other call the answer is for the caller to judge.
	expect(typeof (await client.request("GET", "/v1/x"))).toBe(name === "null" || name === "array" ? "object" : "string");
});

test("an id that would make an address one of something else is refused before anything is sent [sdk.astray]", () => {
	let sent = 0;
	const fetch = async () => Response.json({ sent: ++sent });
	const { images } = createClient({ baseUrl: "http://localhost", apiKey: null, fetch });
	for (const id of ["", ".", ".."]) {
		for (const call of [() => images.get(id), () => images.delete(id), () => images.update(id, {})]) {
			expect(call).toThrow(TypeError);
		}
	}
	expect(sent).toBe(0);
});
