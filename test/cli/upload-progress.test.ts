import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { type GatedProxy, startGatedProxy } from "../support/gated-proxy.ts";
import { freePorts } from "../support/ports.ts";
import { onTerminal } from "../support/pty.ts";
import { type StartedService, startService } from "../support/service.ts";

/** More than twice what the buffers of a connection over loopback take at once. */
const SIDE = 2_500;
/** What goes on with each state that the terminal shows: the connection is as slow as the machine is busy. */
const BYTES_A_STATE = 1_000_000;

let service: StartedService;
let proxy: GatedProxy;
let slowUrl = "";
let cwd = "";

beforeAll(async () => {
	const [port = 0] = (await freePorts(1)).map(Number);
	slowUrl = `http://localhost:${port}`;
	service = await startService({ SVC_BASE_URL: slowUrl, SVC_WEB_URL: slowUrl });
	proxy = await startGatedProxy(port, Number(new URL(service.baseUrl).port));
	cwd = await mkdtemp(join(tmpdir(), "svc-progress-"));
	const noise = { width: SIDE, height: SIDE, channels: 3 } as const;
	for (const name of ["one.png", "two.png"])
		await writeFile(
			join(cwd, name),
			await sharp(randomBytes(SIDE * SIDE * 3), { raw: noise })
				.png()
				.toBuffer(),
		);
});

afterAll(async () => {
	await proxy[Symbol.asyncDispose]();
	await service.stop();
	await rm(cwd, { recursive: true });
});

async function upload(files: readonly string[], flags: readonly string[], columns: number, onText: () => void) {
	const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: slowUrl };
	const argv = ["images", "upload", ...files, ...flags];
	const seen = await onTerminal(argv, { cwd, columns, env, pipesOutput: true, onText });
	return { ...seen, states: seen.written.split("\r\u001b[K").filter(Boolean) };
}

/** Uploads over a connection that takes some more whenever the terminal shows something new. */
function watched(files: readonly string[], flags: readonly string[] = [], columns = 80) {
	proxy.hold();
	proxy.allow(BYTES_A_STATE);
	return upload(files, flags, columns, () => proxy.allow(BYTES_A_STATE));
}

/** Uploads over a connection that takes everything at once. */
function unwatched(files: readonly string[], flags: readonly string[]) {
	proxy.allow(Number.POSITIVE_INFINITY);
	return upload(files, flags, 80, () => undefined);
}

test("one large file shows bytes, share, rate and the time left, as it goes [cli.upload-progress]", async () => {
	const { exit, states, out } = await watched(["one.png"]);
	expect(exit).toBe(0);
	expect(out).toMatch(/^img_/);
	const going = states.filter((state) =>
		/^\d+(\.\d+)? [kM]B of 18\.8 MB · \d+% · \d+(\.\d+)? [kM]?B\/s · \d+ s left$/.test(state),
	);
	const shares = going.map((state) => Number(/(\d+)%/.exec(state)?.[1]));
	expect(shares).toEqual(shares.toSorted((one, other) => one - other));
	// How many there are is up to the buffers on the way; what each says, and when, is tried without any (transfers.test.ts).
	expect(new Set(shares).size).toBeGreaterThan(1);
});

test("several count their files as well, and no line is longer than the terminal [cli.upload-progress-many]", async () => {
	const { exit, states } = await watched(["one.png", "two.png"], ["--label", "many=1"], 40);
	expect(exit).toBe(0);
	expect(states.some((state) => /^0\/2 · \d+(\.\d+)? [kM]B of 37\.6 MB · \d+% · /.test(state))).toBe(true);
	expect(states.some((state) => state.startsWith("2/2 · 37.6 MB of 37.6 MB"))).toBe(true);
	expect(states.filter((state) => state.length > 39)).toEqual([]);
});

test("--quiet and JSON leave the terminal alone [cli.upload-progress-quiet]", async () => {
	expect((await unwatched(["one.png"], ["-q"])).written).toBe("");
	expect((await unwatched(["one.png"], ["--json"])).states.join("")).not.toContain("%");
});
