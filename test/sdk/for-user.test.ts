import { describe, expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { addApp, connectUser } from "../support/apps.ts";
import { plain } from "../support/pictures.ts";
import { serviceFor } from "../support/service.ts";

const service = serviceFor({ SVC_WEB_URL: "http://pages.localhost:3000" });

async function open() {
	const app = await addApp(service.database);
	const asked: string[] = [];
	const client = createClient({
		baseUrl: service.rooms.addresses.base,
		apiKey: app.key,
		fetch: (url, init) => {
			asked.push(`${init.method} ${new URL(url).pathname}`);
			return service.open(url, init);
		},
	});
	return { client, asked, user: await connectUser(service.database, app) };
}

describe("a slip with the user", () => {
	test("of a picture for nobody in particular stores nothing, anywhere", async () => {
		const { client, asked } = await open();
		const nobody = { userId: undefined };
		// What plain JavaScript lets through.
		const slip = { user: nobody.userId } as unknown as { user: string };
		expect(async () => client.images.upload(await plain(9, 9), slip)).toThrow(TypeError);
		expect(async () => client.images.list(slip)).toThrow("user is undefined: null means the App storage");
		expect(() => createClient({ baseUrl: "http://localhost", apiKey: null, ...slip })).toThrow("user is undefined");
		expect(asked).toEqual([]);
	});
});

describe("svc.forUser", () => {
	test("keeps each call in the storage of its user, and names no other", async () => {
		const { client, user } = await open();
		const theirId = user.id;
		const theirs = client.forUser(theirId);
		const image = await theirs.images.upload(await plain(9, 9));
		expect((await theirs.images.list()).data.map(({ id }) => id)).toEqual([image.id]);
		expect((await client.images.list({ ids: [image.id] })).data).toEqual([]);
		expect(async () => theirs.images.list({ user: undefined } as object)).toThrow("user is undefined");
		for (const user of ["usr_other", null]) {
			const options = { user };
			expect(async () => theirs.images.get(image.id, options)).toThrow(`this client is of ${theirId} alone`);
			expect(async () => theirs.tickets.create(options)).toThrow(TypeError);
		}
		expect(Object.keys(theirs.images)).not.toContain("move");
		expect(Object.keys(theirs.images)).not.toContain("copy");
	});

	test.each([undefined, null, "", "usr_", "acc_1", "usr_1/..", { id: "usr_1" }])("throws for %p", async (id) => {
		const { client } = await open();
		expect(() => client.forUser(id as string)).toThrow(TypeError);
	});
});

describe("addresses of hosted pages", () => {
	test("stand on the pages' own origin, name the key's App, and ask for it once", async () => {
		const { client, asked } = await open();
		const { id } = (await client.key.get()).app;
		const redirectUri = "https://app.example.com/callback?a=b";
		const state = "s &=#";
		const query = `app=${id}&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback%3Fa%3Db`;
		const [connect, silent, billing, account, disconnect] = await Promise.all([
			client.connectUrl({ redirectUri, state }),
			client.connectUrl({ redirectUri, silent: true }),
			client.billingUrl({ redirectUri, priceId: "prc_1" }),
			client.accountUrl(),
			client.disconnectUrl(),
		]);
		expect(connect).toBe(`http://pages.localhost:3000/connect?${query}&state=s%20%26%3D%23`);
		expect(silent).toBe(`http://pages.localhost:3000/connect?${query}&prompt=none`);
		expect(billing).toBe(`http://pages.localhost:3000/billing?${query}&price_id=prc_1`);
		expect(account).toBe("http://pages.localhost:3000/account");
		expect(disconnect).toBe(`http://pages.localhost:3000/account/apps/${id}/disconnect`);
		expect(asked).toEqual(["GET /v1/key", "GET /v1/key"]);
	});

	test("are refused without a redirect URI, and with a state that the page would refuse", async () => {
		const { client } = await open();
		expect(async () => client.connectUrl({} as { redirectUri: string })).toThrow("redirectUri");
		const redirectUri = "https://app.example.com/callback";
		expect(async () => client.billingUrl({ redirectUri, state: "x".repeat(513) })).toThrow(TypeError);
		expect(await client.connectUrl({ redirectUri, state: "x".repeat(512) })).toContain("xxx");
	});

	test("are asked for again where the first asking failed", async () => {
		const { key } = await addApp(service.database);
		let fails = true;
		const client = createClient({
			baseUrl: service.rooms.addresses.base,
			apiKey: key,
			retries: 0,
			fetch: (url, init) => {
				if (fails) throw new TypeError("the connection was closed");
				return service.open(url, init);
			},
		});
		expect(async () => client.accountUrl()).toThrow("could not be reached");
		fails = false;
		expect(await client.accountUrl()).toBe("http://pages.localhost:3000/account");
	});
});
