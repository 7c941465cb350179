import { afterEach, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdtemp, open, readdir, rmdir, stat, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image, Usage } from "@svc/sdk/shapes";
import { plain } from "../support/pictures.ts";
import { type ServerProcess, startProcess } from "../support/process.ts";

/* The started program on a small disk of its own: at first uploads fill it, then somebody else does, to the last byte. */

/** More than uploads leave free, and twice what is set aside. */
const DISK = "size=112m";
/** What room is made by in the end. */
const LARGER_DISK = "size=256m";
const BALLAST_BYTES = 16 * 1_024 ** 2;
/** Far more than there is room for. */
const MOST_UPLOADS = 200;

const disks: string[] = [];

async function smallDisk(): Promise<string> {
	const dir = await mkdtemp(join(tmpdir(), "svc-full-"));
	try {
		execFileSync("mount", ["-t", "tmpfs", "-o", DISK, "tmpfs", dir], { stdio: "ignore" });
	} catch (cause) {
		await rmdir(dir);
		throw cause;
	}
	disks.push(dir);
	return dir;
}

async function removeDisks(): Promise<void> {
	for (const dir of disks.splice(0)) {
		execFileSync("umount", ["-l", dir]);
		await rmdir(dir);
	}
}

const canMount = await smallDisk().then(
	() => true,
	() => false,
);
await removeDisks();

/** Until nothing more fits; its path. */
async function fill(dir: string): Promise<string> {
	const path = join(dir, "somebody-elses");
	const file = await open(path, "w");
	const block = Buffer.alloc(4_096, 1);
	const more = () => file.write(block);
	let refused: unknown;
	while (refused === undefined) {
		await more().catch((cause: unknown) => {
			refused = cause;
		});
	}
	await file.close();
	expect(String(refused)).toContain("ENOSPC");
	return path;
}

class Client {
	readonly #server: ServerProcess;
	readonly #headers: { readonly Authorization: string };

	constructor(server: ServerProcess, key: string) {
		this.#server = server;
		this.#headers = { Authorization: `Bearer ${key}` };
	}

	upload(file: Buffer<ArrayBuffer>): Promise<Response> {
		const body = new FormData();
		body.append("file", new Blob([file]), "a.png");
		return fetch(`${this.#server.baseUrl}/v1/images`, { method: "POST", body, headers: this.#headers });
	}

	delete({ id }: Image): Promise<Response> {
		return fetch(`${this.#server.baseUrl}/v1/images/${id}`, { method: "DELETE", headers: this.#headers });
	}

	async usage(): Promise<Usage> {
		const answer = await fetch(`${this.#server.baseUrl}/v1/usage`, { headers: this.#headers });
		return (await answer.json()) as Usage;
	}
}

async function start(dir: string): Promise<ServerProcess> {
	const env = { SVC_DATA_DIR: dir, SVC_KEY_RATE: "0", SVC_CREATE_RATE: "0", SVC_LOG: "error" };
	const server = await startProcess(env);
	started.push(server);
	await server.ready();
	return server;
}

const started: ServerProcess[] = [];
afterEach(async () => {
	for (const { process } of started.splice(0)) {
		process.kill("SIGKILL");
		await process.exited;
	}
	await removeDisks();
});

async function until(done: () => Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 4_000; tries++) {
		if (await done().catch(() => false)) return;
		await Bun.sleep(25);
	}
	throw new Error("it does not come about");
}

/** The address of an image after a restart, which took another port. */
function at({ cdnUrl }: ServerProcess, { url }: Image): string {
	return cdnUrl + new URL(url).pathname;
}

/** Uploads until one is refused. */
async function uploadAll(client: Client, file: Buffer<ArrayBuffer>): Promise<Image[]> {
	const stored: Image[] = [];
	while (stored.length < MOST_UPLOADS) {
		const answer = await client.upload(file);
		if (answer.status !== 201) {
			expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining("upload_failed")]);
			expect(answer.headers.get("Retry-After")).toBe("2");
			return stored;
		}
		stored.push((await answer.json()) as Image);
	}
	throw new Error("the disk does not fill up");
}

test.skipIf(!canMount)(
	`on a full disk uploads are refused, all else goes on, nothing is lost, and room makes it well${canMount ? "" : " (SKIPPED: needs Linux and mounting)"}`,
	async () => {
		const dir = await smallDisk();
		const first = await start(dir);
		await until(async () => (await stat(join(dir, "ballast"))).size === BALLAST_BYTES);
		const key = /svc_sk_test_\w{38}/.exec(first.stdout())?.[0] ?? "";
		// What follows a picture is stored with it, and takes room but no time.
		const file = Buffer.concat([await plain(100, 100), Buffer.alloc(1_000_000)]);
		const stored = await uploadAll(new Client(first, key), file);
		expect(stored.length).toBeGreaterThan(5);
		expect(await readdir(join(dir, "images", "incoming"))).toEqual([]);
		// A log that is empty: the next change needs room, be it a delete.
		expect(await first.stop()).toBe(0);

		const second = await start(dir);
		const client = new Client(second, key);
		const filler = await fill(dir);
		expect((await client.upload(file)).status).toBe(500);
		for (const image of stored) expect((await fetch(`${at(second, image)}?w=50`)).status).toBe(200);
		const gone = stored.splice(0, 5);
		for (const image of gone) expect((await client.delete(image)).status).toBe(200);
		for (const image of gone) expect((await fetch(at(second, image))).status).toBe(404);
		expect(await readdir(dir)).not.toContain("ballast");
		await unlink(filler);
		// What was deleted lies there for a day.
		execFileSync("mount", ["-o", `remount,${LARGER_DISK}`, dir]);
		second.process.kill("SIGKILL");
		await second.process.exited;

		const third = await start(dir);
		const later = new Client(third, key);
		expect((await later.usage()).totals.images_stored).toBe(stored.length);
		for (const image of stored) expect((await fetch(at(third, image))).status).toBe(200);
		await until(async () => (await later.upload(await plain(10, 10))).status === 201);
		expect(await third.stop()).toBe(0);
	},
);
