import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { AuditEntry, TrashedBlob } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { fakeS3 } from "../support/s3.ts";
import { type StartedService, startService } from "../support/service.ts";

/* The trash through the real program, on a folder and on a bucket. */

const bucket = await fakeS3({ pageObjects: 3 });
afterAll(() => bucket.close());

describe.each([
	["files", {}],
	["a bucket", bucket.env],
] as const)("with pictures in %s", (_, env) => {
	let service: StartedService;
	let program: Program;
	beforeAll(async () => {
		service = await startService({ ...env });
		program = await openProgram(service);
	});
	afterAll(async () => {
		await program.close();
		await service.stop();
	});

	async function pages(limit: number): Promise<TrashedBlob[]> {
		const found: TrashedBlob[] = [];
		for (let path = `/v1/operator/trash?limit=${limit}`; path !== ""; ) {
			const answer = await service.api(path, { headers: { Authorization: `Bearer ${service.token}` } });
			const { data, pagination } = (await answer.json()) as List<TrashedBlob>;
			found.push(...data);
			path = pagination.next_url === null ? "" : pagination.next_url.slice(service.baseUrl.length);
		}
		return found;
	}

	const listed = () => program.json<TrashedBlob[]>("server", "trash", "list", "--all");

	test("svc server trash list shows what lies there, the latest first, in pages", async () => {
		expect(await listed()).toEqual([]);
		const image = await uploaded(service, await plain(9, 9));
		for (let n = 0; n < 7; n++) await uploaded(service, await plain(8, 8));
		for (const key of await keysOf(service)) await service.rooms.images.trash.put(key);
		const [first, ...others] = await listed();
		expect(others.length).toBe(7);
		expect(first).toMatchObject({ object: "trashed_blob", known: true });
		const days = Date.parse(first?.removed_at ?? "") - Date.parse(first?.trashed_at ?? "");
		expect(days).toBe(30 * 86_400_000);
		const paged = await pages(3);
		expect([paged.length, new Set(paged.map(({ id }) => id)).size]).toEqual([8, 8]);
		expect(paged.map(({ image_id }) => image_id)).toContain(image.id);
	});

	test("svc server trash restore brings one back, then all; the audit names them, and they are served", async () => {
		const before = await listed();
		const one = before[0] as TrashedBlob;
		const { exit, out } = await program.svc("server", "trash", "restore", one.id, "--json");
		expect([exit, JSON.parse(out)]).toEqual([0, { object: "trash_restore", restored: [one.id] }]);
		expect((await listed()).map(({ id }) => id)).not.toContain(one.id);
		const again = await program.svc("server", "trash", "restore", one.id);
		expect(again.exit).toBe(3);
		expect((await program.svc("server", "trash", "restore", "--everything")).exit).toBe(0);
		expect(await listed()).toEqual([]);
		expect((await keysOf(service)).length).toBe(8);
		const { url } = (await (await service.api(`/v1/images/${one.image_id}`)).json()) as { url: string };
		expect((await service.open(url)).status).toBe(200);
		const headers = { Authorization: `Bearer ${service.token}` };
		const audit = await service.api("/v1/operator/audit?event=trash.restored", { headers });
		const { data } = (await audit.json()) as { data: AuditEntry[] };
		expect(data.map(({ target }) => target)).toContain(one.id);
	});

	test("svc server trash collect looks, and moves nothing without being told to", async () => {
		const nothing = { object: "trash_collection", unknown: 0, bytes: 0, moved: 0 };
		expect(await program.json("server", "trash", "collect", "--dry-run")).toEqual(nothing);
		expect(await program.json("server", "trash", "collect", "--yes")).toEqual(nothing);
		await addUnknown(service, 30);
		const found = { ...nothing, unknown: 30, bytes: 30 * 5 };
		expect(await program.json("server", "trash", "collect", "--dry-run")).toEqual(found);
		const unasked = await program.svc("server", "trash", "collect");
		expect([unasked.exit, unasked.err]).toEqual([2, expect.stringContaining("Add --yes")]);
		expect(await listed()).toEqual([]);
		expect(await program.json("server", "trash", "collect", "--yes")).toEqual({ ...found, moved: 30 });
		expect((await listed()).length).toBe(30);
		expect((await program.svc("server", "trash", "restore", "--everything")).exit).toBe(0);
	});

	test.each([
		["nothing", { blobs: [] }],
		["too many", { blobs: Array.from({ length: 101 }, (_unused, n) => `img_${n}/n`) }],
		["no keys", { blobs: [7] }],
	])("422 for %s", async (_unused, body) => {
		const answer = await service.api("/v1/operator/trash/restore", {
			method: "POST",
			body: JSON.stringify(body),
			headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
		});
		expect(answer.status).toBe(422);
	});

	test("what is no key of a blob is not looked for: a path, another object of the bucket", async () => {
		const blobs = ["../svc.db", "img_1/../../x", "installation", "img_1", ""];
		const answer = await service.api("/v1/operator/trash/restore", {
			method: "POST",
			body: JSON.stringify({ blobs }),
			headers: { Authorization: `Bearer ${service.token}`, "Content-Type": "application/json" },
		});
		expect([answer.status, await answer.json()]).toEqual([200, { object: "trash_restore", restored: [] }]);
	});
});

/** Stored bytes of some hours ago that no row names. */
async function addUnknown({ rooms, dataDir }: StartedService, count: number): Promise<void> {
	const bytes = new TextEncoder().encode("bytes");
	for (let n = 0; n < count; n++) {
		const staged = await rooms.images.blobs.stage(once(bytes), bytes.length);
		await rooms.images.blobs.put(`img_unknown${n}/n`, staged);
	}
	const hoursAgo = new Date(Date.now() - 4 * 3_600_000);
	for (const [key, object] of bucket.objects) bucket.objects.set(key, { ...object, writtenMs: hoursAgo.getTime() });
	const folder = join(dataDir, "images", "blobs");
	const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
	for (const file of files) if (file.isFile()) await utimes(join(file.parentPath, file.name), hoursAgo, hoursAgo);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}

async function keysOf({ rooms }: StartedService): Promise<string[]> {
	const keys: string[] = [];
	for (let after: string | undefined; ; ) {
		const page = await rooms.images.blobs.list("img_", after);
		keys.push(...page.blobs.map(({ key }) => key));
		after = page.next;
		if (after === undefined) return keys;
	}
}
