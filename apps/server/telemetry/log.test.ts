import { describe, expect, test } from "bun:test";
import { fileURLToPath } from "node:url";
import { loggable } from "./loggable.ts";

class Odd extends Error {
	override readonly name = "Odd";
	readonly code = "EIO";
	readonly worker = 3;
	readonly price = { bytes: 7, ms: 8 };
}

describe("an error in the facts of a line", () => {
	test.each([
		["under any name", (error: Error) => ({ error }), ["error"]],
		["as a cause", (cause: Error) => ({ cause }), ["cause"]],
		["in a list", (error: Error) => ({ failed: [1, error] }), ["failed", 1]],
		["deep in an object", (error: Error) => ({ a: { b: { c: error } } }), ["a", "b", "c"]],
	] as const)("%s is its name, message, stack and cause", (_, facts, path) => {
		const error = new Odd("it broke", { cause: new RangeError("too deep", { cause: "a word" }) });
		const written = JSON.parse(JSON.stringify(loggable(facts(error))));
		const found = (path as readonly (string | number)[]).reduce((value, name) => value[name], written);
		expect(found).toEqual({
			name: "Odd",
			message: "it broke",
			stack: expect.stringContaining("log.test.ts"),
			code: "EIO",
			worker: 3,
			price: { bytes: 7, ms: 8 },
			cause: {
				name: "RangeError",
				message: "too deep",
				stack: expect.stringContaining("log.test.ts"),
				cause: "a word",
			},
		});
	});

	test("holds no secret, neither its words nor those of its causes", () => {
		const said = [
			"https://db.example/?authToken=hidden1&x=1",
			"Authorization: Bearer hidden2.part",
			"key svc_sk_live_hidden3hidden3hidden3hidden3",
			"https://me:hidden4@bucket.example/a?X-Amz-Signature=hidden5",
		];
		const error = said.reduceRight((cause: unknown, words) => new Error(words, { cause }), undefined);
		const line = JSON.stringify(loggable({ error, deep: { er: { Authorization: "hidden6" } }, secret: "hidden7" }));
		expect(line).not.toContain("hidden");
		expect(line).toContain("https://db.example/?authToken=[redacted]&x=1");
	});

	test("is bounded, however long, deep, wide or round it is", () => {
		const round: { self?: unknown } = {};
		round.self = round;
		let chain = new Error("first");
		for (let depth = 0; depth < 10_000; depth++) chain = new Error("x".repeat(20_000), { cause: chain });
		const wide = Array.from({ length: 100_000 }, () => "wide");
		const line = JSON.stringify(loggable({ round, chain, wide, bytes: new Uint8Array(1e6), big: 7n, none: null }));
		expect(line.length).toBeLessThan(300_000);
		expect(JSON.parse(line)).toMatchObject({ bytes: "[1000000 bytes]", big: "7", none: null });
	});
});

/** What a program logs that has a `log`, line by line. */
async function linesOf(program: string): Promise<string[]> {
	const opened = `
		import { openLog } from ${JSON.stringify(fileURLToPath(new URL("./log.ts", import.meta.url)))};
		const log = await openLog("info", false);
		${program}`;
	const child = Bun.spawn([process.execPath, "-e", opened], { stderr: "pipe" });
	return (await new Response(child.stderr).text()).trim().split("\n");
}

test("a line of the log is one line of JSON with all of it", async () => {
	const lines = await linesOf(`
		const error = new TypeError("no good", { cause: new Error("EIO") });
		log.error("It failed", { request_id: "req_1", error, nested: { error } });
	`);
	expect(lines).toHaveLength(1);
	const facts = { name: "TypeError", message: "no good", cause: { message: "EIO" } };
	const written = { level: "error", msg: "It failed", request_id: "req_1", error: facts, nested: { error: facts } };
	expect(JSON.parse(lines[0] ?? "")).toMatchObject(written);
});

test.each([
	[
		"a process that waits",
		"await new Promise((resolve) => setTimeout(resolve, 50)); process.kill(process.pid, 'SIGKILL');",
	],
	["a process that leaves at once", "process.exit(1);"],
	["a process that ends by an error", "throw new Error('unforeseen');"],
])("%s has logged all lines, in their order", async (_, end) => {
	const lines = await linesOf(`for (let line = 0; line < 500; line++) log.info("a line", { line }); ${end}`);
	const logged = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line).line);
	expect(logged).toEqual(Array.from({ length: 500 }, (_, line) => line));
});
