import { afterAll, beforeAll, expect, test } from "bun:test";
import type { LogLine } from "@svc/sdk/shapes";
import { addPerson } from "../support/people.ts";
import { openProgram, type Program, startProgram } from "../support/program.ts";
import { send } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let operator: Program;

beforeAll(async () => {
	service = await startService();
	operator = await openProgram(service);
});

afterAll(async () => {
	await operator.close();
	await service.stop();
});

const paths = (lines: readonly LogLine[]) => lines.map(({ facts }) => facts.path);

test("operators read the last lines of the log, and nobody else does [cli.logs]", async () => {
	await send(service, "GET", "/v1/key");
	const lines = await operator.json<LogLine[]>("logs", "list");
	expect(paths(lines)).toContain("/v1/key");
	expect(paths(lines)).not.toContain("/v1/operator/logs");
	expect(JSON.stringify(lines)).not.toContain(service.apiKey);
	expect(
		(await operator.json<LogLine[]>("logs", "list", "--level", "error")).every(({ level }) => level === "error"),
	).toBe(true);
	expect((await operator.svc("logs", "list", "--level", "loud")).exit).toBe(2);
	const person = await openProgram(service, { token: (await addPerson(service.database)).secret });
	const refused = await person.svc("logs", "list");
	expect([refused.out, [4, 5].includes(refused.exit)]).toEqual(["", true]);
	await person.close();
});

test("tail shows what is logged from then on, once [cli.logs-tail]", async () => {
	const env = { SVC_PROFILE_FILE: `${operator.cwd}/profiles.json`, SVC_API_KEY: "", SVC_BASE_URL: "" };
	const before = (await operator.json<LogLine[]>("logs", "list", "--limit", "10")).length;
	const child = startProgram(["logs", "tail", "--limit", String(before + 2), "-o", "jsonl"], {
		cwd: operator.cwd,
		env,
	});
	const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
	let out = "";
	const read = async (isRead: () => boolean) => {
		while (!isRead()) {
			const { value, done } = await reader.read();
			if (done) return;
			out += value;
		}
	};
	await read(() => out.split("\n").length > before);
	for (const path of ["/v1/key", "/v1/usage"]) await send(service, "GET", path);
	await read(() => false);
	const exit = await child.exited;
	const shown = out
		.trimEnd()
		.split("\n")
		.map((line) => JSON.parse(line) as LogLine);
	expect([exit, shown.length]).toEqual([0, before + 2]);
	expect(paths(shown).slice(-2)).toEqual(["/v1/key", "/v1/usage"]);
});
