import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { type LibsqlProxy, PASSING, type Passage, startLibsqlProxy } from "../../support/libsql-proxy.ts";
import { type LibsqlServer, libsqlNote, startLibsql, withoutLibsql } from "../../support/libsql-server.ts";
import { addPerson, addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { errorOf, send, upload, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";

/* Changes over REST whose commit happens while the database's answer to it is lost, or of which nobody can say what became of them. */

describe.skipIf(withoutLibsql)(`a database at the end of a bad road${libsqlNote}`, () => {
	let server: LibsqlServer;
	let proxy: LibsqlProxy;
	let service: OpenService;
	let file: Buffer<ArrayBuffer>;

	beforeAll(async () => {
		server = await startLibsql();
		proxy = await startLibsqlProxy(server.url);
		service = await openService({ SVC_DATABASE_URL: proxy.url });
		file = await plain(6, 6);
	});
	afterAll(async () => {
		await service.close();
		await proxy[Symbol.asyncDispose]();
		await server[Symbol.asyncDispose]();
	});
	beforeEach(() => {
		proxy.passage = PASSING;
	});

	const answerLost: Passage = async (isChange, forward) => {
		if (!isChange) return await forward();
		proxy.passage = PASSING;
		await forward();
		return undefined;
	};
	/** The answer to the change that has these words in it; others, such as when a secret was last used, may come before. */
	const answerLostTo =
		(words: string): Passage =>
		async (isChange, forward, body) => {
			const answer = await forward();
			if (!isChange || !body.includes(words)) return answer;
			proxy.passage = PASSING;
			return undefined;
		};
	/** Nothing more is heard of any change, whether it happens or not; reads pass. */
	const changesLost =
		(happen: boolean): Passage =>
		async (isChange, forward) => {
			if (!isChange || happen) {
				const answer = await forward();
				return isChange ? undefined : answer;
			}
			return undefined;
		};
	const image = () => uploaded(service, file);
	const seen = async ({ id }: Image) => {
		const answer = await send(service, "GET", `/v1/images/${id}`);
		return answer.status === 200 ? ((await answer.json()) as Image) : answer.status;
	};

	test("200 for a change whose answer was lost, with what it became", async () => {
		const before = await image();
		proxy.passage = answerLost;
		const answer = await send(service, "PATCH", `/v1/images/${before.id}`, { caption: "new", labels: { mine: "yes" } });
		expect(answer.status).toBe(200);
		const changed = (await answer.json()) as Image;
		expect([changed.caption, changed.labels]).toEqual(["new", { mine: "yes" }]);
		expect(await seen(before)).toEqual(changed);
	});

	test("200 for a deletion whose answer was lost, and 404 from then on", async () => {
		const before = await image();
		proxy.passage = answerLost;
		expect((await send(service, "DELETE", `/v1/images/${before.id}`)).status).toBe(200);
		expect(await seen(before)).toBe(404);
	});

	test("200 for a batch of which one answer was lost", async () => {
		const [one, two] = [await image(), await image()];
		proxy.passage = answerLost;
		const answer = await send(service, "PATCH", "/v1/images/batch", { ids: [one.id, two.id], caption: "both" });
		expect(answer.status).toBe(200);
		expect(await seen(one)).toMatchObject({ caption: "both" });
		expect(await seen(two)).toMatchObject({ caption: "both" });
	});

	test("200 for other sign-ins whose end was not answered, with how many there were", async () => {
		const person = await addPerson(service.database);
		await addSession(service.database, person.id);
		await addSession(service.database, person.id, { scopes: ["apps:read"] });
		proxy.passage = answerLostTo("session.others_ended");
		const ended = await send(service, "POST", "/v1/sessions/end-others", {}, as(person));
		expect(await ended.json()).toEqual({ object: "ended", sessions: 1, tokens: 1 });
	});

	test("201 for an App whose answer was lost, and there is one of it", async () => {
		proxy.passage = answerLost;
		const answer = await send(service, "POST", "/v1/apps", { name: "Only one" }, { key: service.token });
		expect(answer.status).toBe(201);
		const list = await send(service, "GET", "/v1/apps", undefined, { key: service.token });
		const { data } = (await list.json()) as {
			readonly data: readonly { readonly id: string; readonly name: string }[];
		};
		const { id } = (await answer.json()) as { readonly id: string };
		expect(data.filter(({ name }) => name === "Only one").map((app) => app.id)).toEqual([id]);
	});

	test("503 that says where to look, and does not say that nothing was changed, where the database stays away", async () => {
		const before = await image();
		for (const [method, path, body, at, key] of [
			["PATCH", `/v1/images/${before.id}`, { caption: "later" }, `/v1/images/${before.id}`, service.apiKey],
			["DELETE", `/v1/images/${before.id}`, undefined, `/v1/images/${before.id}`, service.apiKey],
			["POST", "/v1/apps", { name: "Perhaps" }, "/v1/apps", service.token],
		] as const) {
			proxy.passage = changesLost(true);
			const answer = await send(service, method, path, body, { key });
			proxy.passage = PASSING;
			expect(answer.headers.get("retry-after")).toBe("2");
			const { status, code, message, action } = await errorOf(answer);
			expect([status, code, action]).toEqual([503, "server_error", { type: "wait", retry_after: 2 }]);
			expect(message).toContain("is not known");
			expect(message).toEndWith(` GET ${at} shows it.`);
		}
		// All of it has happened, and can be seen.
		expect(await seen(before)).toBe(404);
	}, 120_000);

	test("503 for an item of a batch of which nobody knows", async () => {
		const before = await image();
		proxy.passage = changesLost(false);
		const answer = await send(service, "DELETE", "/v1/images/batch", { ids: [before.id] });
		proxy.passage = PASSING;
		expect(answer.status).toBe(207);
		const { errors } = (await answer.json()) as { readonly errors: readonly { readonly error: { message: string } }[] };
		expect(errors[0]?.error.message).toContain("is not known");
		expect(await seen(before)).toMatchObject({ id: before.id });
	}, 60_000);

	/** The commit of a create is the one that says `image.created`: it happens, and nothing is heard of the database until `back`. */
	const awayFromTheCommitOn = () => {
		const road = { away: false };
		proxy.passage = async (isChange, forward, body) => {
			const committing = isChange && body.includes("image.created");
			if (committing && !road.away) {
				await forward();
				road.away = true;
			}
			return road.away ? undefined : await forward();
		};
		return { back: () => (proxy.passage = PASSING), away: () => road.away };
	};
	const labelled = async (name: string) => {
		const answer = await send(service, "GET", `/v1/images?label[run]=${name}`);
		return ((await answer.json()) as { readonly data: readonly Image[] }).data.length;
	};

	test("a create without a key that ends as not known is not doubled by repeating it", async () => {
		const used = async () => Number((await send(service, "GET", "/v1/usage")).headers.get("x-monthly-uploads-used"));
		const before = await used();
		const create = () => upload(service, file, "a.png", { labels: '{"run":"unkeyed"}' });
		const road = awayFromTheCommitOn();
		const answer = await create();
		expect(road.away()).toBe(true);
		expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "create_outcome_ambiguous"]);
		road.back();
		expect((await create()).status).toBe(201);
		while ((await labelled("unkeyed")) !== 1) await Bun.sleep(50);
		expect(await used()).toBe(before + 1);
	}, 120_000);

	test("a key whose create ended as not known can be used as soon as the database is back, and brings the one image", async () => {
		const create = () =>
			upload(service, file, "a.png", { labels: '{"run":"keyed"}' }, { headers: { "Idempotency-Key": "away" } });
		const road = awayFromTheCommitOn();
		const answer = await create();
		expect([answer.status, (await errorOf(answer)).code]).toEqual([503, "create_outcome_ambiguous"]);
		road.back();
		expect((await create()).status).toBe(201);
		expect(await labelled("keyed")).toBe(1);
	}, 120_000);

	test("a key whose create did not happen is free again within seconds, not after its lease", async () => {
		const create = () =>
			upload(service, file, "a.png", { labels: '{"run":"freed"}' }, { headers: { "Idempotency-Key": "freed" } });
		let away = false;
		proxy.passage = async (isChange, forward, body) => {
			away ||= isChange && body.includes("image.created");
			return away ? undefined : await forward();
		};
		expect((await create()).status).toBe(503);
		proxy.passage = PASSING;
		const backMs = performance.now();
		let answer = await create();
		while (answer.status !== 201 && performance.now() - backMs < 30_000) {
			expect((await errorOf(answer)).code).toBe("idempotency_key_in_progress");
			await Bun.sleep(100);
			answer = await create();
		}
		// The lease is a minute long.
		expect(answer.status).toBe(201);
		expect(await labelled("freed")).toBe(1);
	}, 120_000);
});
