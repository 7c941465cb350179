import { expect, test } from "bun:test";
import { pagesApp } from "./app.ts";
import type { PagesDeps } from "./kit/deps.ts";

test("a page that cannot be put together is a page with 500 that tells nothing of the cause, which is logged", async () => {
	const logged: unknown[] = [];
	let asked = 0;
	const deps: Pick<PagesDeps, "addresses" | "log" | "meters" | "name" | "processor" | "variant"> = {
		addresses: { base: "http://localhost", web: "http://localhost", cdn: "http://localhost:1" },
		log: { debug() {}, info() {}, warn() {}, error: (_, facts) => logged.push(facts) },
		meters: { count() {}, observe() {}, gauge() {} },
		processor: {} as PagesDeps["processor"],
		variant: {
			access: { personalStorages: false },
			billing: { sellsTiers: false },
			visibility: { exists: false },
		},
		get name(): string {
			// The page asks first, then what it is framed in.
			if (asked++ === 1) throw new TypeError("the cause");
			return "Svc";
		},
	};
	const answer = await pagesApp(deps as PagesDeps).handle(new Request("http://localhost/"));
	expect(answer.status).toBe(500);
	expect(answer.headers.get("Content-Type")).toStartWith("text/html");
	expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
	expect(await answer.text()).not.toContain("the cause");
	expect(logged).toMatchObject([{ cause: expect.any(TypeError) }]);
});
