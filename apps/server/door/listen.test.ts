import { describe, expect, test } from "bun:test";
import { isTurnLong, nextTurn } from "@svc/base/pace/turns";
import { peerAddress } from "./client-address.ts";
import { dispatcher } from "./listen.ts";

const door = {
	...{ baseUrl: "http://api.test", webUrl: "http://web.test", cdnUrl: "http://cdn.test" },
	proxyTrust: { proxies: [], header: undefined },
};

/** What was begun, in order, and for whom. */
function openDoor() {
	const begun: string[] = [];
	const site = (name: string) => (request: Request) => {
		begun.push(`${name} for ${peerAddress(request)}`);
		return new Response(name);
	};
	const sites = {
		probes: site("probe"),
		api: site("api"),
		pages: site("page"),
		cdn: site("picture"),
		cdnAgain: (request: Request) => (request.url.endsWith("/kept") ? new Response("kept") : undefined),
	};
	return { begun, dispatch: dispatcher(door, sites) };
}

const requestTo = (host: string, path = "/") => new Request(`http://${host}${path}`, { headers: { Host: host } });

function takeTheTurn(): void {
	isTurnLong();
	const endMs = performance.now() + 20;
	while (performance.now() < endMs);
}

describe("many requests in one turn", () => {
	test("are begun at once while the turn has room", async () => {
		await nextTurn();
		const { begun, dispatch } = openDoor();
		void dispatch(requestTo("cdn.test"), () => "192.0.2.1");
		expect(begun).toEqual(["picture for 192.0.2.1"]);
	});

	test("are begun in a later one where it has none, in order; a probe and what is kept of a picture are answered before them", async () => {
		await nextTurn();
		const { begun, dispatch } = openDoor();
		takeTheTurn();
		const [api, page, picture] = [
			dispatch(requestTo("api.test", "/v1/key"), () => "192.0.2.1"),
			dispatch(requestTo("web.test"), () => "192.0.2.2"),
			dispatch(requestTo("cdn.test"), () => "192.0.2.3"),
		];
		const probe = dispatch(requestTo("203.0.113.1", "/healthz"), () => "192.0.2.4");
		const kept = dispatch(requestTo("cdn.test", "/kept"), () => "192.0.2.5");
		expect(kept).toBeInstanceOf(Response);
		expect(begun).toEqual(["probe for 192.0.2.4"]);
		const answers = await Promise.all([api, page, picture, probe]);
		expect(begun.slice(1)).toEqual(["api for 192.0.2.1", "page for 192.0.2.2", "picture for 192.0.2.3"]);
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
	});

	test("are begun by network in turn, and what comes new does not pass what waits", async () => {
		await nextTurn();
		const { begun, dispatch } = openDoor();
		takeTheTurn();
		const asked = ["1", "1", "1", "2"].map((last) => dispatch(requestTo("cdn.test"), () => `192.0.2.${last}`));
		const waits = asked.length;
		const late = dispatch(requestTo("cdn.test"), () => "192.0.2.3");
		expect([begun.length, waits]).toEqual([0, 4]);
		await Promise.all([...asked, late]);
		expect(begun.map((line) => line.at(-1)).join("")).toBe("12311");
	});

	test("know whose they are when their connection has ended meanwhile", async () => {
		await nextTurn();
		const { begun, dispatch } = openDoor();
		takeTheTurn();
		let address: string | undefined = "192.0.2.1";
		const answer = dispatch(requestTo("cdn.test"), () => address);
		address = undefined;
		await answer;
		expect(begun).toEqual(["picture for 192.0.2.1"]);
	});
});
