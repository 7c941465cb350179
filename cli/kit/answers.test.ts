import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { ConnectionError } from "@svc/sdk/failure";
import { everyCommand, shellWords } from "@svc/test/support/command-lines";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "./run.ts";

/* What stands between this program and the service may answer in its place. */

const PAGE = "<html>\u001b[2J<h1>Welcome to the hotel</h1></html>";
const HTML = { headers: { "content-type": "text/html" } };

const FOREIGN: Readonly<Record<string, () => Response>> = {
	"a page": () => new Response(PAGE, HTML),
	nothing: () => new Response(null, { status: 204 }),
	null: () => Response.json(null),
	"an array": () => Response.json([1, 2]),
	"half an object": () => new Response('{"id":', { headers: { "content-type": "application/json" } }),
	"a page for a gateway's failure": () => new Response(PAGE, { ...HTML, status: 502 }),
	"a redirect": () => new Response(null, { status: 308, headers: { location: "https://elsewhere.test/\u001b" } }),
	"details that are none": () =>
		Response.json(
			{ error: { code: "validation_error", message: "no", details: { a: "text", b: 7, c: null } } },
			{ status: 422 },
		),
	"an error that draws": () =>
		Response.json(
			{ error: { code: "\u001b[2J", message: "\u001b]0;x\u0007\nerror: x", details: { "a\n": ["\u009b2J"] } } },
			{ status: 422 },
		),
};

async function svc(argv: readonly string[], answer: () => Response | Promise<Response>) {
	let sent = 0;
	const fetch = async (_: string, { signal }: RequestInit) => {
		sent++;
		const givenUp = new Promise<never>((_resolve, reject) => {
			signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
		});
		return await Promise.race([answer(), givenUp]);
	};
	const world = fakeWorld({ fetch });
	const exit = await run([...argv, "--yes"], world);
	return { exit, out: world.outText(), err: world.errText(), sent };
}

/** Of which the retries of calls that may be repeated would take seconds each. */
const RETRIED = ["a page for a gateway's failure", "half an object"];

describe("answers that are not the service's", async () => {
	const all = (await everyCommand()).filter(({ path }) => path[0] !== "server");

	test.each(Object.keys(FOREIGN).filter((name) => !RETRIED.includes(name)))(
		"%s is no bug of any command, and nothing of it reaches the terminal raw [answers.walk]",
		async (name) => {
			const ends = await Promise.all(
				all.map(async (command) => ({
					command,
					...(await svc(shellWords(command.command.examples[0]).slice(1), FOREIGN[name] ?? Response.error)),
				})),
			);
			for (const { command, exit, err, out, sent } of ends) {
				expect([command.path, exit]).not.toEqual([command.path, EXIT.bug]);
				// `svc api` shows what it gets.
				if (sent > 0 && command.path[0] !== "api") expect([command.path, exit]).not.toEqual([command.path, EXIT.ok]);
				const shown = command.path[0] === "api" ? err : err + out;
				expect(shown.replaceAll(/[\n\t]/g, "")).not.toMatch(/\p{Cc}/u);
			}
		},
	);

	test("it says what came, and exits 7, or 1 where waiting does not help [answers.told]", async () => {
		for (const [name, exit, said] of [
			["a page", EXIT.later, "something that is not its own: HTTP 200 without a JSON object."],
			["half an object", EXIT.later, "HTTP 200 with broken JSON."],
			["a redirect", EXIT.failed, "to https://elsewhere.test/."],
			["a page for a gateway's failure", EXIT.later, "Something in between answered, not the service"],
		] as const) {
			const { err, ...rest } = await svc(["jobs", "get", "job_1", "--timeout", "5s"], FOREIGN[name] ?? Response.error);
			expect([name, rest.exit, err]).toEqual([name, exit, expect.stringContaining(said)]);
		}
	});

	test("--timeout is the time of the whole command, with its calls and their repeats, and exits 7 [timeout.whole]", async () => {
		for (const answer of [
			() => new Promise<Response>(() => undefined),
			FOREIGN["a page for a gateway's failure"] ?? Response.error,
		]) {
			const startMs = performance.now();
			const { exit } = await svc(["jobs", "get", "job_1", "--timeout", "300ms"], answer);
			expect(exit).toBe(EXIT.later);
			expect(performance.now() - startMs).toBeLessThan(1_500);
		}
	});

	test("a connection that fails is told with its reason, however deep the runtime hides it [answers.reason]", async () => {
		const refused = Object.assign(new Error(""), { code: "ECONNREFUSED" });
		const { exit, err } = await svc(["keys", "revoke", "key_1", "--app", "app_1"], () => {
			throw new ConnectionError("network", "http://svc.test: fetch failed", {
				cause: new TypeError("fetch failed", { cause: refused }),
			});
		});
		expect([exit, err]).toEqual([EXIT.later, expect.stringContaining("fetch failed: (ECONNREFUSED)")]);
	});
});
