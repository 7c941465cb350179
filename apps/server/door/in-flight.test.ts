import { expect, test } from "bun:test";
import { clientAddresses, rememberPeer } from "./client-address.ts";
import { boundedInFlight, IN_FLIGHT_MAX } from "./in-flight.ts";

const addressOf = clientAddresses({ proxies: [], header: undefined });

function from(address: string): Request {
	const request = new Request("http://x/");
	rememberPeer(request, () => address);
	return request;
}

test("a network with too many requests in work waits its turn; others, and this machine, do not", async () => {
	const { promise: finish, resolve: letFinish } = Promise.withResolvers<void>();
	const handle = boundedInFlight(async () => {
		await finish;
		return new Response("done");
	}, addressOf);
	const held = Array.from({ length: IN_FLIGHT_MAX }, (_, index) =>
		handle(from(`2001:db8:0:${(index % 200).toString(16)}::1`)),
	);
	const local = Array.from({ length: IN_FLIGHT_MAX + 10 }, () => handle(from("127.0.0.1")));
	const refused = await handle(from("2001:db8:0:fe::9"));
	expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
	const other = handle(from("2001:db8:0:1fe::9"));
	letFinish();
	for (const answer of await Promise.all([...held, ...local, other])) expect(answer.status).toBe(200);
	expect((await handle(from("2001:db8:0:fe::9"))).status).toBe(200);
});

test("a request that fails gives its turn back", async () => {
	const handle = boundedInFlight(() => Promise.reject(new Error("it broke")), addressOf);
	for (let turn = 0; turn < IN_FLIGHT_MAX + 10; turn++)
		await expect(handle(from("192.0.2.1"))).rejects.toThrow("it broke");
});
