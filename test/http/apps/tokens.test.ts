import { beforeAll, describe, expect, test } from "bun:test";
import { SCOPES } from "@svc/people/people";
import type { Token } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, countOf } from "../../support/apps.ts";
import { addMember, addPerson, as, type TestPerson } from "../../support/people.ts";
import { errorOf, send } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { bodyOf, eventsOf } from "../../support/sign-in.ts";

const DAY_SECONDS = 86_400;

const service = serviceFor();
let person: TestPerson;
const app = madeBefore(() => addApp(service.database));

type Minted = Token & { readonly secret: string };

const create = (secret: string, body: object) => send(service, "POST", "/v1/tokens", body, as({ secret }));
const made = async (secret: string, more: object = {}): Promise<Minted> =>
	await bodyOf(await create(secret, { name: "test", scopes: ["apps:read"], expires_in: "30d", ...more }), 201);
const works = async (secret: string) =>
	(await send(service, "GET", "/v1/me", undefined, as({ secret }))).status === 200;
const listed = async (secret: string) => {
	const answer = await send(service, "GET", "/v1/tokens", undefined, as({ secret }));
	return (await bodyOf<{ data: Token[] }>(answer, 200)).data;
};
const revoke = (secret: string, id: string) => send(service, "DELETE", `/v1/tokens/${id}`, undefined, as({ secret }));
const refusal = async (answer: Promise<Response>) => {
	const { code, fields } = await errorOf(await answer);
	return [code, ...fields];
};

beforeAll(async () => {
	person = await addPerson(service.database);
	await addMember(service.database, app, person, "admin");
});

describe("a token", () => {
	test("is named, scoped, bound and dated as asked; its secret is shown once", async () => {
		const now = service.clock.now();
		const asked = {
			name: "  deploys ",
			app: app.id,
			scopes: ["keys:write", "images:read", "images:read"],
			expires_in: "90d",
		};
		const token = await made(person.secret, asked);
		expect(token).toMatchObject({
			object: "token",
			name: "deploys",
			app_id: app.id,
			scopes: ["images:read", "keys:write"],
			last_used_at: null,
		});
		expect(token.secret).toMatch(/^svc_pat_[0-9A-Za-z]{38}$/);
		expect(Math.round((Date.parse(token.expires_at) - now) / 1_000)).toBe(90 * DAY_SECONDS);
		const { secret, ...shown } = token;
		expect(await listed(person.secret)).toEqual([shown]);
		expect(await works(secret)).toBe(true);
		expect(await eventsOf(service.database, token.id)).toEqual(["token.created"]);
	});

	test("422 names every field that is wrong, and makes nothing", async () => {
		const before = await countOf(service.database, sql`SELECT count(*) FROM sessions`);
		const good = { name: "x", scopes: ["apps:read"], expires_in: 60 };
		const wrong: [object, string][] = [
			[{ name: " " }, "name"],
			[{ name: "x".repeat(101) }, "name"],
			[{ name: "a\u001b[31m" }, "name"],
			[{ scopes: [] }, "scopes"],
			[{ scopes: ["everything"] }, "scopes"],
			[{ scopes: "apps:read" }, "scopes"],
			[{ scopes: [...SCOPES, ...SCOPES] }, "scopes"],
			[{ expires_in: 59 }, "expires_in"],
			[{ expires_in: "366d" }, "expires_in"],
			[{ expires_in: 1e20 }, "expires_in"],
			[{ expires_in: "never" }, "expires_in"],
			[{ expires_in: null }, "expires_in"],
			[{ app: "nonsense" }, "app"],
			[{ app: `app_${"0".repeat(22)}` }, "app"],
			[{ parent: "tok" }, "parent"],
		];
		for (const [change, field] of wrong) {
			expect(await refusal(create(person.secret, { ...good, ...change }))).toEqual(["validation_error", field]);
		}
		expect(await refusal(create(person.secret, {}))).toEqual(["validation_error", "name", "scopes", "expires_in"]);
		const foreign = await addApp(service.database);
		expect(await refusal(create(person.secret, { ...good, app: foreign.id }))).toEqual(["validation_error", "app"]);
		expect(await countOf(service.database, sql`SELECT count(*) FROM sessions`)).toBe(before);
		for (const expires_in of [60, "365d", 365 * DAY_SECONDS, "8760h"]) await made(person.secret, { expires_in });
	});

	test("ends when its time is over", async () => {
		const short = await made(person.secret, { expires_in: 60 });
		service.clock.advance(61_000);
		expect(await works(short.secret)).toBe(false);
		expect((await listed(person.secret)).map(({ id }) => id)).not.toContain(short.id);
	});

	test("422 past a hundred of them; of fifty at once too none is one too many", async () => {
		const { secret } = await addPerson(service.database);
		const first = await made(secret);
		for (let count = 1; count < 80; count++) await made(secret);
		const body = { name: "x", scopes: ["apps:read"], expires_in: 60 };
		const answers = await Promise.all(Array.from({ length: 50 }, () => create(secret, body)));
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
		expect(await refusal(create(secret, body))).toEqual(["validation_error", "name"]);
		await revoke(secret, first.id);
		expect((await create(secret, body)).status).toBe(201);
	});
});

test("a token makes no tokens: whoever stole one would outlive its end", async () => {
	const { secret } = await made(person.secret, { scopes: ["images:write", "operator:write"] });
	const asked = { name: "x", scopes: ["images:read"], expires_in: 60 };
	expect(await refusal(create(secret, asked))).toEqual(["forbidden", "session"]);
	expect(await listed(secret)).toHaveLength(1);
});

describe("a token that made others, under an earlier release", () => {
	test("sees and revokes itself and those below it, and no other", async () => {
		const parent = await made(person.secret, { expires_in: "9d" });
		const sibling = await made(person.secret);
		const child = await madeBy(parent);
		const grandchild = await madeBy(child);
		expect((await listed(parent.secret)).map(({ id }) => id)).toEqual([grandchild.id, child.id, parent.id]);
		for (const [secret, id] of [
			[child.secret, parent.id],
			[parent.secret, sibling.id],
			[(await addPerson(service.database)).secret, parent.id],
			[person.secret, "tok_x"],
		] as const) {
			expect(await refusal(revoke(secret, id))).toEqual(["not_found"]);
		}
		expect(await (await revoke(parent.secret, child.id)).json()).toEqual({
			id: child.id,
			object: "token",
			deleted: true,
		});
		expect(await Promise.all([parent, sibling, child, grandchild].map(({ secret }) => works(secret)))).toEqual([
			true,
			true,
			false,
			false,
		]);
		expect(await refusal(revoke(person.secret, child.id))).toEqual(["not_found"]);
	});

	test("takes all that it made with it", async () => {
		const parent = await made(person.secret, { expires_in: "9d" });
		const children = [];
		for (let count = 0; count < 15; count++) children.push(await madeBy(parent));
		await revoke(person.secret, parent.id);
		expect((await Promise.all(children.map(({ secret }) => works(secret)))).includes(true)).toBe(false);
	});

	async function madeBy(parent: Minted): Promise<Minted> {
		const token = await made(person.secret, { expires_in: "8d" });
		await service.database.write([{ run: sql`UPDATE sessions SET parent = ${parent.id} WHERE id = ${token.id}` }]);
		return token;
	}
});
