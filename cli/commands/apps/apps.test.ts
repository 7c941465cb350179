import { describe, expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import { fakeService, refusal, type Sent } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

type Options = Omit<NonNullable<Parameters<typeof fakeWorld>[0]>, "fetch" | "cwd">;

async function svc(argv: readonly string[], options: Options = {}, reply?: (sent: Sent) => Response | undefined) {
	const service = fakeService(reply);
	const world = fakeWorld({ ...options, fetch: service.fetch });
	const exit = await run(argv, world);
	const changes = service.sent.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
	return { exit, out: world.outText(), err: world.errText(), changes };
}

const DELETE = ["apps", "delete", "app_1"];
const stored = ({ path }: Sent) =>
	path.endsWith("/usage?by=total") ? Response.json({ object: "usage", totals: { images_stored: 2 } }) : undefined;

describe("delete", () => {
	test("tells what goes with the App, and takes its name and nothing else for a yes [apps.delete.name]", async () => {
		const typed = await svc(DELETE, { isTerminal: true, answer: "My first App" }, stored);
		expect([typed.exit, typed.changes]).toEqual([EXIT.ok, ["DELETE /v1/apps/app_1?confirm_name=My first App"]]);
		expect(typed.err).toContain('This deletes "My first App" (app_1) with all 2 pictures, its keys and its users');
		for (const answer of ["", "y", "my first app"]) {
			const { exit, err, changes } = await svc(DELETE, { isTerminal: true, answer }, stored);
			expect([exit, changes, err.includes("Nothing was changed.")]).toEqual([EXIT.failed, [], true]);
		}
	});

	test("--no-input on a terminal is refused and names the flag [apps.delete.no-input]", async () => {
		const { exit, err, changes } = await svc([...DELETE, "--no-input"], { isTerminal: true, answer: "My first App" });
		expect([exit, changes, err.includes("--yes")]).toEqual([EXIT.usage, [], true]);
	});

	test("a refusal because of subscribers names the flag; with it, it is sent [apps.delete.subscribers]", async () => {
		const reply = ({ method, path }: Sent) =>
			method === "DELETE" && !path.includes("cancel_subscriptions=true") ? refusal(409, "state_conflict") : undefined;
		const refused = await svc([...DELETE, "--yes"], {}, reply);
		expect([refused.exit, refused.err.includes("--cancel-subscriptions")]).toEqual([EXIT.conflict, true]);
		expect((await svc([...DELETE, "--yes", "--cancel-subscriptions"], {}, reply)).exit).toBe(EXIT.ok);
	});
});

test("tells how many pictures go, without what a terminal would obey, and no changes nothing [users.disconnect.ask]", async () => {
	const user = { id: "usr_1", object: "connected_user", email: "a\u001b[2J@example.com", images: 7 };
	const reply = ({ method, path }: Sent) =>
		method === "GET" && path.includes("/users/") ? Response.json(user) : undefined;
	const { exit, err, changes } = await svc(
		["users", "disconnect", "usr_1", "--app", "app_1"],
		{ isTerminal: true },
		reply,
	);
	expect([exit, changes]).toEqual([EXIT.failed, []]);
	expect(err).toContain("Disconnect a[2J@example.com (usr_1) and delete all 7 pictures");
});

describe("jobs", () => {
	const job = (state: string, more = {}) =>
		Response.json({ id: "job_1", object: "job", kind: "app.delete", state, done: 1, total: 4, failure: null, ...more });

	test("a job that failed is printed, and is exit 1 with its reason [jobs.failed]", async () => {
		const reply = ({ method }: Sent) => (method === "DELETE" ? job("failed", { failure: "disk full" }) : undefined);
		const { exit, out, err } = await svc([...DELETE, "--yes", "--json"], {}, reply);
		expect([exit, JSON.parse(out).state]).toEqual([EXIT.failed, "failed"]);
		expect(JSON.parse(err).error).toMatchObject({
			message: "The job job_1 failed: disk full",
			next: "svc jobs get job_1",
		});
	});

	test("a person sees how far it is; the line is gone at the end [jobs.progress]", async () => {
		const states = ["running", "done"];
		const reply = ({ path }: Sent) => (path === "/v1/jobs/job_1" ? job(states.shift() ?? "done") : undefined);
		const { exit, err } = await svc(["jobs", "wait", "job_1"], { isTerminal: true }, reply);
		expect([exit, err]).toEqual([EXIT.ok, "\r\u001b[Kapp.delete: running 1/4\r\u001b[K"]);
	});

	test("Ctrl-C stops the waiting, and says how to go on [jobs.interrupted]", async () => {
		const stop = new AbortController();
		const reply = ({ path }: Sent) => {
			if (!path.startsWith("/v1/jobs/")) return undefined;
			setTimeout(() => stop.abort(new Error("Ctrl-C")), 10);
			return job("running");
		};
		const { exit, err } = await svc(["jobs", "wait", "job_1"], { signal: stop.signal }, reply);
		expect([exit, err.includes("svc jobs wait job_1")]).toEqual([EXIT.interrupted, true]);
	});
});
