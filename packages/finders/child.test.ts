import { afterEach, expect, test } from "bun:test";
import { FIXTURE, type Misdeed } from "@svc/test/support/finder-program";
import { FinderFailure, type FinderProcess, type FinderTrouble, openChild } from "./child.ts";

const children: FinderProcess<Misdeed, unknown>[] = [];

function child(
	limits: { timeoutMs?: number; keptBytes?: number } = {},
	program = FIXTURE,
): FinderProcess<Misdeed, unknown> {
	const made = openChild<Misdeed, unknown>(program, [], { timeoutMs: 10_000, keptBytes: 1 << 30, ...limits });
	children.push(made);
	return made;
}

afterEach(() => {
	for (const made of children.splice(0)) made.close();
});

async function trouble(answer: Promise<unknown>): Promise<FinderTrouble> {
	const error = await answer.catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(FinderFailure);
	return (error as FinderFailure).trouble;
}

function alive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

async function ended(pid: number): Promise<void> {
	for (let tries = 0; alive(pid) && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 25));
	expect(alive(pid)).toBe(false);
}

async function pidOf(made: FinderProcess<Misdeed, unknown>): Promise<number> {
	await made.ask({ deed: "echo" });
	return made.pid ?? 0;
}

test("bytes go there and back, through one process that is started by the first task", async () => {
	const made = child();
	expect(made.pid).toBeUndefined();
	const bytes = Uint8Array.of(1, 2, 255);
	expect(await made.ask({ deed: "echo", bytes })).toEqual(bytes);
	const { pid } = made;
	expect(await made.ask({ deed: "echo", bytes: bytes.subarray(1) })).toEqual(bytes.subarray(1));
	expect(made.pid).toBe(pid);
});

test("a program that hangs is killed in time, and the next task gets a new one", async () => {
	const made = child({ timeoutMs: 1_500 });
	const pid = await pidOf(made);
	expect(await trouble(made.ask({ deed: "hang" }))).toBe("slow");
	await ended(pid);
	expect(await pidOf(made)).not.toBe(pid);
});

test("a task that kills its process twice is broken; the next one is not", async () => {
	const made = child();
	expect(await trouble(made.ask({ deed: "die" }))).toBe("broken");
	expect(await made.ask({ deed: "echo" })).toBeUndefined();
});

test("a process that is killed while it idles is not missed", async () => {
	const made = child();
	const pid = await pidOf(made);
	process.kill(pid, "SIGKILL");
	await ended(pid);
	expect(await pidOf(made)).not.toBe(pid);
});

test("a program that throws has failed, says why, and is started afresh", async () => {
	const made = child();
	const pid = await pidOf(made);
	await expect(made.ask({ deed: "throw" })).rejects.toThrow("no good");
	expect(await trouble(made.ask({ deed: "throw" }))).toBe("failed");
	await ended(pid);
});

test("a program that cannot be started is broken", async () => {
	expect(await trouble(child({}, "/nowhere/program.ts").ask({ deed: "echo" }))).toBe("broken");
});

test("a process that holds more than it may is ended after its answer", async () => {
	const made = child({ keptBytes: 1 });
	expect(await made.ask({ deed: "echo", bytes: Uint8Array.of(7) })).toEqual(Uint8Array.of(7));
	expect(made.pid).toBeUndefined();
});

test("the environment of the service stays outside", async () => {
	expect(await child().ask({ deed: "environment" })).not.toMatch(/PATH=|HOME=/);
});

test("a process ends with the one that started it", async () => {
	const made = child();
	const pid = (await made.ask({ deed: "nest" })) as number;
	expect(alive(pid)).toBe(true);
	made.close();
	await ended(pid);
});

test("closing fails what is being worked on, what waits and what comes", async () => {
	const made = child();
	await made.ask({ deed: "echo" });
	const answers = [made.ask({ deed: "hang" }), made.ask({ deed: "echo" })].map(trouble);
	setTimeout(made.close, 50);
	expect(await Promise.all(answers)).toEqual(["closed", "closed"]);
	expect(await trouble(made.ask({ deed: "echo" }))).toBe("closed");
});

test("whoever leaves the line is not worked for, and past its end tasks are turned away", async () => {
	const made = child({ timeoutMs: 1_000 });
	const leaver = new AbortController();
	const first = trouble(made.ask({ deed: "hang" }));
	const left = made.ask({ deed: "hang" }, leaver.signal).catch((reason: unknown) => reason);
	leaver.abort("left");
	const line = Array.from({ length: 64 }, () => made.ask({ deed: "echo", bytes: Uint8Array.of(1) }));
	expect(await trouble(made.ask({ deed: "echo" }))).toBe("busy");
	expect(await left).toBe("left");
	expect(await first).toBe("slow");
	expect(await Promise.all(line)).toHaveLength(64);
});
