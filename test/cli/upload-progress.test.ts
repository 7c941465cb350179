import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { freePorts } from "../support/ports.ts";
import { onTerminal } from "../support/pty.ts";
import { type StartedService, startService } from "../support/service.ts";
import { startSlowProxy } from "../support/slow-proxy.ts";

/** More than the buffers of a connection over loopback take at once. */
const SIDE = 2_000;
const BYTES_PER_SECOND = 5_000_000;

let service: StartedService;
let proxy: AsyncDisposable;
let slowUrl = "";
let cwd = "";

beforeAll(async () => {
	const [port = 0] = (await freePorts(1)).map(Number);
	slowUrl = `http://localhost:${port}`;
	service = await startService({ SVC_BASE_URL: slowUrl, SVC_WEB_URL: slowUrl });
	proxy = await startSlowProxy(port, Number(new URL(service.baseUrl).port), BYTES_PER_SECOND);
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

async function upload(files: readonly string[], flags: readonly string[] = [], columns = 80) {
	const env = { SVC_API_KEY: service.apiKey, SVC_BASE_URL: slowUrl };
	const seen = await onTerminal(["images", "upload", ...files, ...flags], { cwd, columns, env, pipesOutput: true });
	return { ...seen, states: seen.written.split("\r\u001b[K").filter(Boolean) };
}

test("one large file shows bytes, share, rate and the time left, as it goes [cli.upload-progress]", async () => {
	const { exit, states, out } = await upload(["one.png"]);
	expect(exit).toBe(0);
	expect(out).toMatch(/^img_/);
	const going = states.filter((state) =>
		/^\d+(\.\d+)? [kM]B of 12\.0 MB · \d+% · \d+(\.\d+)? [kM]?B\/s · \d+ s left$/.test(state),
	);
	expect(going.length).toBeGreaterThan(3);
	const shares = going.map((state) => Number(/(\d+)%/.exec(state)?.[1]));
	expect(shares).toEqual(shares.toSorted((one, other) => one - other));
	expect(new Set(shares).size).toBeGreaterThan(3);
});

test("several count their files as well, and no line is longer than the terminal [cli.upload-progress-many]", async () => {
	const { exit, states } = await upload(["one.png", "two.png"], ["--label", "many=1"], 40);
	expect(exit).toBe(0);
	expect(states.some((state) => /^0\/2 · \d+(\.\d+)? [kM]B of 24\.0 MB · \d+% · /.test(state))).toBe(true);
	expect(states.some((state) => state.startsWith("2/2 · 24.0 MB of 24.0 MB"))).toBe(true);
	expect(states.filter((state) => state.length > 39)).toEqual([]);
});

test("--quiet and JSON leave the terminal alone [cli.upload-progress-quiet]", async () => {
	expect((await upload(["one.png"], ["-q"])).written).toBe("");
	expect((await upload(["one.png"], ["--json"])).states.join("")).not.toContain("%");
});
