import { expect, test } from "bun:test";
import { current } from "@svc/versions/current";
import { pagesApp } from "./app.ts";
import type { PagesRooms } from "./kit/rooms.ts";

test("a page that cannot be put together is a page with 500 that tells nothing of the cause, which is logged", async () => {
	const { variant, pages } = current();
	const logged: unknown[] = [];
	let asked = 0;
	const rooms: Pick<PagesRooms, "addresses" | "billing" | "log" | "meters" | "name" | "variant"> = {
		addresses: { base: "http://localhost", web: "http://localhost", cdn: "http://localhost:1" },
		log: { debug() {}, info() {}, warn() {}, error: (_, facts) => logged.push(facts) },
		meters: { count() {}, observe() {}, gauge() {} },
		billing: { processor: {} } as PagesRooms["billing"],
		variant,
		get name(): string {
			// The page asks first, then what it is framed in.
			if (asked++ === 1) throw new TypeError("the cause");
			return "Svc";
		},
	};
	const answer = await pagesApp(rooms as PagesRooms, await pages()).handle(new Request("http://localhost/"));
	expect(answer.status).toBe(500);
	expect(answer.headers.get("Content-Type")).toStartWith("text/html");
	expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
	expect(await answer.text()).not.toContain("the cause");
	expect(logged).toMatchObject([{ cause: expect.any(TypeError) }]);
});
