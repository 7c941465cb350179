import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import type { Image } from "@svc/sdk/shapes";
import type { BatchResult, List } from "@svc/sdk/types";
import { sql } from "drizzle-orm";
import { addApp, addKey, connectUser, countOf, firstApp, type TestApp } from "../../support/apps.ts";
import { type DataDirectory, dataDirectory } from "../../support/data-directory.ts";
import { addHolder } from "../../support/own-storages.ts";
import { addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, errorOf, importImage, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { eventsOf } from "../../support/sign-in.ts";

/* Who may see an image, where the interface lets its owner say. */

describe.each(["transition", "legacy"])("[%s]", (variant) => {
	let service: OpenService;
	let file: Buffer<ArrayBuffer>;
	let origin: ReturnType<typeof Bun.serve>;
	beforeAll(async () => {
		file = await plain(40, 20);
		origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(file) });
		service = await openService({ SVC_VARIANT: variant, SVC_IMPORT_ALLOW: `127.0.0.1:${origin.port}` });
	});
	afterAll(async () => {
		await origin.stop(true);
		await service.close();
	});

	const byImport = (body: object, caller?: Caller, of = service) =>
		importImage(of, { url: `http://127.0.0.1:${origin.port}/a.png`, ...body }, caller);
	/** What became of a create: its visibility, or the fields that are to blame. */
	const outcome = async (answer: Response) => {
		if (answer.status === 201) return ((await answer.json()) as Image).public;
		const { code, fields } = await errorOf(answer);
		return [answer.status, code, ...fields];
	};
	const imported = async (sent: unknown) => await outcome(await byImport({ public: sent }));
	const sentInForm = async (sent: string) => await outcome(await upload(service, file, "a.png", { public: sent }));
	const images = () => countOf(service.database, sql`SELECT count(*) FROM images`);
	const REFUSED = [422, "validation_error", "public"];

	describe("the field of a create", () => {
		test("booleans, 1 and 0 are written, and read back alike [public.json-bool, public.json-number, create.rule1.public-written, image.fields.public]", async () => {
			for (const [sent, expected] of [
				[true, true],
				[false, false],
				[1, true],
				[0, false],
			] as const) {
				const answer = await byImport({ public: sent });
				expect(answer.status).toBe(201);
				const image = (await answer.json()) as Image;
				expect(image.public).toBe(expected);
				expect(await (await service.api(`/v1/images/${image.id}`)).json()).toEqual(image as never);
			}
		});

		test("the four strings, in any case and with white space around them [public.string-forms, public.string-case, public.string-trim]", async () => {
			for (const sent of ["true", "1", "TRUE", "tRuE", " true ", "\t1\n"]) expect(await imported(sent)).toBe(true);
			for (const sent of ["false", "0", "False", "FALSE", " 0 ", "  false"]) expect(await imported(sent)).toBe(false);
		});

		test("a form carries the same strings, and no other [public.multipart-forms]", async () => {
			for (const sent of ["true", "1", " TRUE "]) expect(await sentInForm(sent)).toBe(true);
			for (const sent of ["false", "0", "False"]) expect(await sentInForm(sent)).toBe(false);
			for (const sent of ["yes", "no", "2", "on", "null"]) expect(await sentInForm(sent)).toEqual(REFUSED);
		});

		test("anything else is 422 under public, and stores nothing [public.null-422, public.blank-422, public.other-422, public.json-number]", async () => {
			const before = await images();
			const others = [
				"yes",
				"truee",
				"01",
				"1.0",
				"toString",
				"__proto__",
				2,
				-1,
				0.5,
				1e300,
				[],
				{},
				[true],
				{ a: 1 },
			];
			for (const sent of [null, "", "  ", ...others]) expect(await imported(sent)).toEqual(REFUSED);
			for (const sent of ["", "  "]) expect(await sentInForm(sent)).toEqual(REFUSED);
			expect(await images()).toBe(before);
		});

		test("sent twice in one form it is 422, whichever comes first", async () => {
			const body = new FormData();
			for (const value of ["true", "false"]) body.append("public", value);
			body.append("file", new Blob([file]), "a.png");
			const headers = { Authorization: `Bearer ${service.apiKey}` };
			const answer = await service.api("/v1/images", { method: "POST", body, headers });
			expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["public"] });
		});
	});

	describe("what is left out", () => {
		let app: TestApp;
		beforeAll(async () => {
			app = await addApp(service.database);
		});
		const bothWays = async (caller: Caller, of = service) => [
			(await uploaded(of, file, "a.png", {}, caller)).public,
			await outcome(await byImport({}, caller, of)),
		];
		/** Somebody's own storage, which is ordinary: made where people have some, and served as this version since. */
		async function ordinaryStorage(data: DataDirectory) {
			const allowed = { SVC_IMPORT_ALLOW: `127.0.0.1:${origin.port}` };
			const { key } = await addHolder(await data.serve({ SVC_VARIANT: "legacy" }));
			return { key, moved: await data.serve({ SVC_VARIANT: variant, ...allowed }) };
		}

		test("is public in an ordinary storage, unless the create says otherwise [public.default-ordinary]", async () => {
			await using data = await dataDirectory();
			const { key, moved } = await ordinaryStorage(data);
			expect(await bothWays({ key }, moved)).toEqual([true, true]);
			const told = await uploaded(moved, file, "a.png", { public: "false" }, { key });
			expect(told.public).toBe(false);
			// The pool of those who come without a key is ordinary as well, where there is one.
			const pool = (await service.rooms.apps.ownApp.find())?.pool;
			expect(pool?.publicByDefault).toBe(variant === "legacy" ? true : undefined);
		});

		test("is private in an App's own storage, a new one's too, and in a connected user's [public.default-app-provisioned]", async () => {
			const owner = await addPerson(service.database);
			const made = await send(service, "POST", "/v1/apps", { name: "Lantern" }, as(owner));
			expect(made.status).toBe(201);
			const { id } = (await made.json()) as { id: string };
			expect(await bothWays({})).toEqual([false, false]);
			expect(await bothWays(as(owner, id))).toEqual([false, false]);
			const user = await connectUser(service.database, app);
			expect(await bothWays({ key: app.key, headers: { "X-Svc-User": user.id } })).toEqual([false, false]);
		});

		test("is what it was before in a storage that came from another interface version [public.default-migrated]", async () => {
			await using data = await dataDirectory();
			const closed = await addApp((await data.serve({ SVC_VARIANT: "current" })).database);
			const { key, moved } = await ordinaryStorage(data);
			expect(await bothWays({ key }, moved)).toEqual([true, true]);
			expect(await bothWays({ key: closed.key }, moved)).toEqual([false, false]);
		});
	});

	describe("a private image", () => {
		test("serves its bytes and sizes to whoever holds a link [public.private-url-unaffected]", async () => {
			const image = await uploaded(service, file, "a.png", { public: "false" });
			const sizes = Object.values(image.sizes).map(({ url }) => url);
			expect(sizes).toHaveLength(3);
			for (const url of [image.url, `${image.url}?w=10`, ...sizes]) {
				const answer = await service.open(url);
				expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "image/png"]);
				await answer.arrayBuffer();
			}
		});

		test("stands in its owner's list beside the public ones [public.private-list-unaffected]", async () => {
			const { key } = await addApp(service.database);
			const made: string[] = [];
			for (const sent of ["true", "false"])
				made.unshift((await uploaded(service, file, "a.png", { public: sent }, { key })).id);
			const list = (await (await send(service, "GET", "/v1/images", undefined, { key })).json()) as List<Image>;
			expect(list.data.map(({ id }) => id).sort()).toEqual(made.sort());
			expect(list.data.map((image) => image.public).sort()).toEqual([false, true]);
		});
	});

	test("a change of visibility is one like any other: counted, audited, and none where nothing changes [batch.update.public]", async () => {
		const image = await uploaded(service, file, "a.png", { public: "false" });
		const revision = () => countOf(service.database, sql`SELECT revision FROM images WHERE id = ${image.id}`);
		const events = () => eventsOf(service.database, image.id);
		expect((await send(service, "PATCH", `/v1/images/${image.id}`, { public: "TRUE" })).status).toBe(200);
		expect([await revision(), await events()]).toEqual([2, ["image.created", "image.updated"]]);
		expect((await send(service, "PATCH", `/v1/images/${image.id}`, { public: 1 })).status).toBe(200);
		expect([await revision(), await events()]).toEqual([2, ["image.created", "image.updated"]]);
		const missing = newId("img");
		const batch = await send(service, "PATCH", "/v1/images/batch", { ids: [image.id, missing], public: false });
		expect(batch.status).toBe(207);
		const { data, errors } = (await batch.json()) as BatchResult<Image>;
		expect(data).toEqual([image]);
		expect(errors.map(({ id }) => id)).toEqual([missing]);
		expect([await revision(), (await events()).length]).toEqual([3, 3]);
	});

	test("403 forbidden for a key that lacks what the call needs [errors.code.forbidden-tl]", async () => {
		const app = await firstApp(service.database);
		const readOnly = await addKey(service.database, app, { permissions: ["read"] });
		const writeOnly = await addKey(service.database, app, { permissions: ["write"] });
		const image = await uploaded(service, file, "a.png", { public: "true" }, { key: writeOnly });
		const refused = { status: 403, type: "permission_error", code: "forbidden" };
		expect(await errorOf(await upload(service, file, "a.png", {}, { key: readOnly }))).toMatchObject(refused);
		// Public or not: who shows a key is answered by what the key may do.
		const read = await send(service, "GET", `/v1/images/${image.id}`, undefined, { key: writeOnly });
		expect(await errorOf(read)).toMatchObject(refused);
	});

	test("a session without a selected App is told so, public image or not", async () => {
		const person: TestPerson = await addPerson(service.database);
		const image = await uploaded(service, file, "a.png", { public: "true" });
		const secret = await addSession(service.database, person.id);
		const answer = await send(service, "GET", `/v1/images/${image.id}`, undefined, { key: secret });
		expect(await errorOf(answer)).toMatchObject({ status: 422, fields: ["X-Svc-App"] });
	});
});
