import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@svc/connect/connections";
import { openAppFile, sendApp } from "@svc/migrate/app-file/send-app";
import { appFile, openBegun, sha256Of, type WrittenApp } from "@svc/migrate/app-file/write-app";
import { createClient } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import { createManagement } from "@svc/sdk/management";
import type { Image } from "@svc/sdk/shapes";
import { connectUser } from "../../support/apps.ts";
import { addMember, addPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type OpenService, serviceFor } from "../../support/service.ts";

/* An App with all that it has, from one service to another by a file. */

const source = serviceFor();
const target = serviceFor();
const BASE = "http://localhost:3000";
const signal = new AbortController().signal;
let folder = "";

const over = (service: OpenService) => (url: string, init: RequestInit) => service.open(url, init);
const manage = (service: OpenService, apiKey = service.token) =>
	createManagement({ baseUrl: BASE, apiKey, fetch: over(service), retries: 0 });
const picture = async (width: number) => new Blob([await plain(width, 10)]);

interface Moving {
	readonly app: string;
	readonly path: string;
	readonly written: WrittenApp;
	readonly images: readonly Image[];
	readonly user: string;
}

let moving: Moving;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "svc-move-"));
	source.startJobs();
	const { apps } = manage(source);
	const { id: app } = await apps.create("Pictures");
	const own = apps.of(app);
	await own.redirectUris.create("https://app.example.com/callback");
	await own.presets.create("thumb", { w: "100" });
	await apps.edit(app, { profile: { developer: "Ada" }, deliveryReferrers: ["example.com"], signInEnabled: true });
	const { id: user } = await connectUser(source.database, { id: app });
	const { secret } = await own.keys.create({ name: "backend", reach: "app", permissions: ["read", "write"] });
	const client = createClient({ baseUrl: BASE, apiKey: secret, fetch: over(source) });
	const images = [
		await client.images.upload(await picture(20), {
			...{ caption: "On the summit", labels: { album: "summer" }, metadata: { camera: "X100" } },
			...{ externalId: "photo-1", publishedAt: "2020-02-03T04:05:06Z", idempotencyKey: "once" },
		}),
		await client.images.upload(await picture(30)),
		// The same bytes again: one master in the file, two pictures.
		await client.images.upload(await picture(30)),
		await client.images.upload(await picture(40), { user }),
	];
	moving = { app, ...(await exported(app, "app.zip")), images, user };
});
afterAll(() => rm(folder, { recursive: true }));

async function exported(app: string, name: string, begunPath?: string) {
	const { apps, jobs } = manage(source);
	const { exports } = apps.of(app);
	const job = await jobs.wait((await exports.start()).id);
	const writing = { exports, job: job.id, app, installation: BASE, signal, isGone: () => false };
	const begun = begunPath === undefined ? undefined : await openBegun(begunPath);
	let written: WrittenApp | undefined;
	const parts: Uint8Array[] = [];
	for await (const part of appFile(writing, begun, (whole) => (written = whole))) parts.push(part);
	await begun?.close();
	const path = join(folder, name);
	await writeFile(path, Buffer.concat(parts));
	if (!written) throw new Error("an export without an end");
	return { path, written };
}

async function imported(service: OpenService, path: string) {
	const file = await openAppFile(path);
	try {
		return await sendApp({ imports: manage(service).operator.appImports, file, signal });
	} finally {
		await file.close();
	}
}

async function refusalOf(work: Promise<unknown>): Promise<unknown> {
	const error = await work.then(
		() => undefined,
		(cause: unknown) => cause,
	);
	return error instanceof ApiError
		? { code: error.code, message: error.message, details: error.details }
		: String(error);
}

describe("an App moves [C]", () => {
	test("the file holds each picture once, and the rehearsal counts the same and what stays [C]", async () => {
		expect(moving.written).toEqual({ images: 4, bytes: expect.any(Number), gone: [], kept: 0 });
		const names = (await readFile(moving.path)).toString("latin1").match(/masters\/[0-9a-f]{64}/g) ?? [];
		expect(new Set(names).size).toBe(3);
		const plan = await manage(source).apps.of(moving.app).exports.rehearse();
		expect(plan).toMatchObject({ counts: { images: 4, users: 1 }, bytes: moving.written.bytes, left_out: { keys: 1 } });
	});

	test("what an earlier run had written is not fetched again, and what was damaged there is [C]", async () => {
		const whole = await readFile(moving.path);
		const [first = 0, second = 0, third = 0] = [...whole.toString("latin1").matchAll(/masters\//g)].map(
			({ index }) => index,
		);
		expect(third).toBeGreaterThan(second);
		// The first picture is damaged, the second is whole, and in the head of the third the writer was stopped.
		const part = Buffer.from(whole.subarray(0, third));
		part[first + 90] = (part[first + 90] ?? 0) ^ 1;
		await writeFile(join(folder, "begun.part"), part);
		const again = await exported(moving.app, "again.zip", join(folder, "begun.part"));
		expect(again.written.kept).toBe(1);
		expect(sha256Of(await readFile(again.path))).toBe(sha256Of(await readFile(moving.path)));
	});

	test("before the last of it is here there is no App and no picture; then all of it at once, under the same ids and addresses [C]", async () => {
		const file = await openAppFile(moving.path);
		const { appImports } = manage(target).operator;
		const begun = await appImports.open({ app: moving.app, manifest: file.sha256, installation: BASE, images: 4 });
		for (const { name } of file.manifest.records) {
			const { sha256 } = await appImports.addRecords(begun.id, await file.lines(name));
			for (const digest of sha256.slice(1))
				await appImports.addMaster(begun.id, digest, new Blob([new Uint8Array(await file.master(digest))]));
		}
		await file.close();
		expect(await refusalOf(appImports.finish(begun.id))).toMatchObject({ code: "state_conflict" });
		const [first] = moving.images;
		expect((await target.open(first?.url ?? "")).status).toBe(404);
		expect(await refusalOf(manage(target).apps.get(moving.app))).toMatchObject({ code: "not_found" });

		expect(await imported(target, moving.path)).toMatchObject({ id: begun.id, app: moving.app, state: "done" });
		for (const { url } of moving.images) expect((await target.open(url)).status).toBe(200);
		const { apps } = manage(target);
		const own = apps.of(moving.app);
		const [was, is] = [await manage(source).apps.get(moving.app), await apps.get(moving.app)];
		expect(is).toEqual(was);
		expect((await own.redirectUris.list()).data.map(({ uri }) => uri)).toEqual(["https://app.example.com/callback"]);
		expect((await own.presets.list()).data).toMatchObject([{ name: "thumb", parameters: { w: "100" } }]);
		const { secret } = await own.keys.create({ name: "backend", reach: "app", permissions: ["read", "write"] });
		const client = createClient({ baseUrl: BASE, apiKey: secret, fetch: over(target) });
		const listed = await client.images.list();
		expect(listed.data.map(({ id }) => id).sort()).toEqual(
			moving.images
				.slice(0, 3)
				.map(({ id }) => id)
				.sort(),
		);
		expect(await client.images.get(first?.id ?? "")).toEqual(first as Image);
		expect((await client.images.list({ labels: { album: "summer" } })).data).toHaveLength(1);
		const theirs = await client.images.list({ user: moving.user });
		expect(theirs.data.map(({ id }) => id)).toEqual([moving.images[3]?.id ?? ""]);
		expect((await own.users.list()).data).toMatchObject([{ id: moving.user, state: "pending", images: 1 }]);
		const again = await client.images.upload(await picture(20), {
			...{ caption: "On the summit", labels: { album: "summer" }, metadata: { camera: "X100" } },
			...{ externalId: "photo-1", publishedAt: "2020-02-03T04:05:06Z", idempotencyKey: "once" },
		});
		expect(again.id).toBe(first?.id ?? "");
		expect(await own.audit.list()).toMatchObject({
			data: expect.arrayContaining([
				expect.objectContaining({ event: "app.imported", changes: { told_by: BASE, images: 4 } }),
			]),
		});
	});

	test("whoever comes along is asked again, and has the pictures of before once they agree [C]", async () => {
		const { rows } = target.database;
		const [connection] = await rows("SELECT account_pk, app_pk FROM connections WHERE user_id = ?", [moving.user]);
		const [pk, appPk] = (connection ?? []).map(Number) as [number, number];
		const asked = { appPk, accountPk: pk, consentVersion: 1 };
		expect(await target.rooms.connect.connections.isRenewable(asked)).toBe(false);
		const redirectUri = "https://app.example.com/callback";
		expect(await connect(target.rooms.connect, { person: { pk }, appPk, redirectUri })).toHaveProperty("code");
		const { data } = await manage(target).apps.of(moving.app).users.list();
		expect(data).toMatchObject([{ id: moving.user, state: "connected", images: 1 }]);
	});

	test("sent again it changes nothing; another file of the same App is refused [C]", async () => {
		expect(await imported(target, moving.path)).toMatchObject({ state: "done" });
		const again = (await exported(moving.app, "later.zip")).path;
		expect(await imported(target, again)).toMatchObject({ state: "done" });
		const { appImports } = manage(target).operator;
		const other = appImports.open({ app: moving.app, manifest: "0".repeat(64), installation: BASE, images: 4 });
		expect(await refusalOf(other)).toMatchObject({ code: "state_conflict" });
		expect(await refusalOf(imported(source, moving.path))).toMatchObject({ code: "state_conflict" });
	});
});

describe("a file is a stranger's word [C]", () => {
	const lines = async () => {
		const file = await openAppFile(moving.path);
		const all = (await Promise.all(file.manifest.records.map(({ name }) => file.lines(name)))).flat();
		await file.close();
		return all;
	};

	test("422 names the field that no create would have taken, and an id that lives here is 409 before anything is written [C]", async () => {
		const { appImports } = manage(target).operator;
		const strange = `app_${"7".repeat(22)}`;
		const begun = await appImports.open({ app: strange, manifest: "1".repeat(64), installation: BASE, images: 1 });
		const [app = {}, user = {}, image = {}] = await lines();
		const add = (record: object) => refusalOf(appImports.addRecords(begun.id, [record]));
		const faults: readonly (readonly [object, string])[] = [
			[
				{ ...app, id: strange, redirect_uris: [{ uri: "javascript:alert(1)", created_at: "2020-01-01T00:00:00Z" }] },
				"records.0.redirect_uris.0",
			],
			[{ ...app, id: strange, name: "Svc" }, "records.0.name"],
			[{ ...app, id: strange, plan: "max" }, "records.0.plan"],
			[
				{
					...app,
					id: strange,
					presets: [{ name: "a", parameters: { nothing: "1" }, created_at: "2020-01-01T00:00:00Z" }],
				},
				"records.0.presets.0",
			],
			[{ ...app, id: `app_${"8".repeat(22)}` }, "records.0.id"],
			[{ ...user, email: "nobody" }, "records.0.email"],
			[{ ...image, labels: { "no label": "1" } }, "records.0.labels"],
			[{ ...image, filename: "../../etc/passwd" }, "records.0.filename"],
			[{ ...image, published_at: "in spring" }, "records.0.published_at"],
			[{ ...image, expires_at: 1e20 }, "records.0.expires_at"],
			[{ ...image, storage: "sto_1" }, "records.0.storage"],
			[{ kind: "key", id: "key_1" }, "records.0.kind"],
		];
		for (const [record, field] of faults)
			expect([field, await add(record)]).toEqual([
				field,
				expect.objectContaining({ code: "validation_error", details: { [field]: [expect.any(String)] } }),
			]);
		for (const record of [user, image]) expect(await add(record)).toMatchObject({ code: "state_conflict" });
		await appImports.delete(begun.id);
		expect(await refusalOf(appImports.get(begun.id))).toMatchObject({ code: "not_found" });
	});

	test("bytes that are no picture, or not those of the record, are refused by the image's id and leave nothing [C]", async () => {
		const { appImports } = manage(target).operator;
		const [app, , record] = await lines();
		const strange = `app_${"6".repeat(22)}`;
		const storage = { id: `sto_${"6".repeat(22)}`, team_hash: "6".repeat(16), created_at: "2020-01-01T00:00:00Z" };
		const begun = await appImports.open({ app: strange, manifest: "2".repeat(64), installation: BASE, images: 1 });
		const text = new TextEncoder().encode("<script>alert(1)</script>");
		const image = {
			...record,
			id: `img_${"6".repeat(22)}`,
			storage: storage.id,
			sha256: sha256Of(text),
			bytes: text.length,
		};
		await appImports.addRecords(begun.id, [{ ...app, id: strange, storage }, image]);
		const told = { code: "validation_error", details: { file: [expect.stringContaining(image.id)] } };
		expect(await refusalOf(appImports.addMaster(begun.id, image.sha256, new Blob([text])))).toMatchObject(told);
		expect(await refusalOf(appImports.addMaster(begun.id, image.sha256, await picture(20)))).toMatchObject(told);
		expect(await refusalOf(appImports.finish(begun.id))).toMatchObject({ code: "state_conflict" });
		expect(await appImports.get(begun.id)).toMatchObject({ state: "importing", images: { here: 1, missing: 1 } });
	});

	test("an import that nobody goes on with keeps its pictures for an hour and is forgotten after a day; gone on with, it keeps them [C]", async () => {
		const { appImports } = manage(target).operator;
		const [app, , , record] = await lines();
		const strange = `app_${"5".repeat(22)}`;
		const storage = { id: `sto_${"5".repeat(22)}`, team_hash: "5".repeat(16), created_at: "2020-01-01T00:00:00Z" };
		const begun = await appImports.open({ app: strange, manifest: "3".repeat(64), installation: BASE, images: 1 });
		const image = { ...record, sha256: String(record?.sha256), id: `img_${"5".repeat(22)}`, storage: storage.id };
		const file = await openAppFile(moving.path);
		const bytes = new Blob([new Uint8Array(await file.master(image.sha256))]);
		await file.close();
		const records = [{ ...app, id: strange, storage }, image];
		const missing = async () => (await appImports.addRecords(begun.id, records)).sha256;
		expect(await missing()).toEqual([image.sha256]);
		expect(await appImports.addMaster(begun.id, image.sha256, bytes)).toEqual({ object: "taken_master", more: false });
		for (const minutes of [50, 50]) {
			target.clock.advance(minutes * 60_000);
			expect(await missing()).toEqual([]);
			await target.sweep();
		}
		expect(await missing()).toEqual([]);
		target.clock.advance(70 * 60_000);
		await target.sweep();
		expect(await missing()).toEqual([image.sha256]);
		target.clock.advance(25 * 3_600_000);
		await target.sweep();
		expect(await refusalOf(appImports.get(begun.id))).toMatchObject({ code: "not_found" });
	});

	test("a damaged, cut or foreign archive is refused naming the entry, before anything is sent [C]", async () => {
		const whole = await readFile(moving.path);
		const at = async (bytes: Uint8Array) => {
			const path = join(folder, "hostile.zip");
			await writeFile(path, bytes);
			return await refusalOf(imported(target, path));
		};
		expect(await at(whole.subarray(0, -10))).toContain("no directory");
		expect(await at(Buffer.from("PK"))).toContain("no directory");
		const text = whole.toString("latin1");
		expect(await at(Buffer.from(text.replaceAll("manifest.json", "../.bashrc.x1"), "latin1"))).toContain(
			"an entry that none has",
		);
		await at(Buffer.from(text.replace("summer", "winter"), "latin1"));
		const altered = await openAppFile(join(folder, "hostile.zip"));
		const { records } = altered.manifest;
		const last = records.at(-1)?.name ?? "";
		expect(await refusalOf(altered.lines(last))).toContain(`${last} cannot be taken: it is damaged, or was altered`);
		await altered.close();
	});

	test("nobody but operators takes an App in, and nobody but the Owner takes one out [C]", async () => {
		const person = await addPerson(target.database);
		await addMember(target.database, { id: moving.app }, person, "admin");
		const other = manage(target, person.secret);
		const open = other.operator.appImports.open({
			app: moving.app,
			manifest: "0".repeat(64),
			installation: BASE,
			images: 4,
		});
		expect(await refusalOf(open)).toMatchObject({ code: "forbidden" });
		expect(await refusalOf(other.apps.of(moving.app).exports.start())).toMatchObject({ code: "forbidden" });
	});
});

test("an App that was deleted here does not come back, and its file is not told that it is here [C]", async () => {
	await manage(target).apps.delete(moving.app, "Pictures");
	await target.runJobs();
	const told = { code: "state_conflict", message: expect.stringContaining("has been deleted") };
	expect(await refusalOf(imported(target, moving.path))).toMatchObject(told);
	expect((await target.open(moving.images[0]?.url ?? "")).status).toBe(404);
});
