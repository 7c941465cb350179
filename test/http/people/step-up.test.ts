import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { addApp, connectUser, type TestApp } from "../../support/apps.ts";
import { SIGN_IN_UNLIMITED } from "../../support/connect.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../../support/people.ts";
import { corners } from "../../support/pictures.ts";
import { errorOf, send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { bodyOf, type SentLogin, verifyLatest } from "../../support/sign-in.ts";

const MINUTE_MS = 60_000;
const picture = await corners(16, 12);

const service = serviceFor(SIGN_IN_UNLIMITED);

interface Scene {
	readonly owner: TestPerson;
	readonly operator: TestPerson;
	readonly member: TestPerson;
	readonly app: TestApp;
}

async function scene(): Promise<Scene> {
	const app = await addApp(service.database);
	const owner = {
		id: app.ownerId,
		email: `${app.ownerId.toLowerCase()}@example.com`,
		secret: await addSession(service.database, app.ownerId, { freshForMs: 0 }),
	};
	const operator = await addPerson(service.database, { operator: true });
	const member = await addPerson(service.database);
	await addMember(service.database, app, member, "admin");
	const stale = await addSession(service.database, operator.id, { freshForMs: 0 });
	return { app, owner, operator: { ...operator, secret: stale }, member };
}

const nameOf = async ({ id }: TestApp) =>
	((
		await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT name FROM apps WHERE id = ${id}`),
		)
	)[0] ?? [""])[0];

interface Deed {
	readonly name: string;
	readonly who: "owner" | "operator" | "free";
	readonly call: (scene: Scene) => Promise<readonly [method: string, path: string, body?: object]>;
	/** What could not be done anyhow, with the status that it is answered. */
	readonly impossible?: (scene: Scene) => Promise<readonly [status: number, path: string, body?: object]>;
	readonly status: number;
}

const DEEDS: readonly Deed[] = [
	{
		name: "a change of address",
		who: "owner",
		call: async () => ["PATCH", "/v1/me", { email: `new-${crypto.randomUUID()}@example.com` }],
		impossible: async () => [422, "/v1/me", { email: "no address" }],
		status: 202,
	},
	{
		name: "making a token",
		who: "owner",
		call: async () => ["POST", "/v1/tokens", { name: "CI", scopes: ["apps:read"], expires_in: "1d" }],
		impossible: async () => [
			422,
			"/v1/tokens",
			{ name: "CI", scopes: ["apps:read"], expires_in: "1d", app: "app_none" },
		],
		status: 201,
	},
	{
		name: "transferring an App",
		who: "owner",
		call: async ({ app, member }) => ["POST", `/v1/apps/${app.id}/transfer`, { member: member.id }],
		impossible: async ({ app }) => [422, `/v1/apps/${app.id}/transfer`, { member: "nobody@example.com" }],
		status: 200,
	},
	{
		name: "deleting an App",
		who: "owner",
		call: async ({ app }) => ["DELETE", `/v1/apps/${app.id}`, { confirm_name: await nameOf(app) }],
		impossible: async ({ app }) => [422, `/v1/apps/${app.id}`, { confirm_name: "another" }],
		status: 202,
	},
	{
		name: "deleting one's account",
		who: "free",
		call: async () => ["DELETE", "/v1/me"],
		status: 202,
	},
	{
		name: "blocking an App",
		who: "operator",
		call: async ({ app }) => ["POST", `/v1/operator/apps/${app.id}/block`, { reason: "spam" }],
		impossible: async () => [404, `/v1/operator/apps/app_${"0".repeat(22)}/block`, { reason: "spam" }],
		status: 200,
	},
	{
		name: "disabling an account",
		who: "operator",
		call: async ({ member }) => ["POST", `/v1/operator/accounts/${member.id}/disable`],
		impossible: async ({ operator }) => [409, `/v1/operator/accounts/${operator.id}/disable`],
		status: 200,
	},
	{
		name: "making an operator",
		who: "operator",
		call: async ({ member }) => ["POST", "/v1/operator/operators", { email: member.email }],
		impossible: async ({ operator }) => [409, "/v1/operator/operators", { email: operator.email }],
		status: 201,
	},
	{
		name: "removing an operator",
		who: "operator",
		call: async () => {
			const other = await addPerson(service.database, { operator: true });
			return ["DELETE", `/v1/operator/operators/${other.id}`];
		},
		impossible: async ({ member }) => [404, `/v1/operator/operators/${member.id}`],
		status: 200,
	},
	{
		name: "deleting an image as an operator",
		who: "operator",
		call: async ({ app }) => {
			const image = await uploaded(service, picture, "a.png", {}, { key: app.key });
			return ["DELETE", `/v1/moderation/images/${image.id}`];
		},
		impossible: async () => [404, `/v1/moderation/images/img_${"0".repeat(22)}`],
		status: 200,
	},
];

async function callerOf(scene: Scene, who: Deed["who"]): Promise<TestPerson> {
	if (who !== "free") return scene[who];
	const person = await addPerson(service.database);
	return { ...person, secret: await addSession(service.database, person.id, { freshForMs: 0 }) };
}

describe("a session that is not fresh", () => {
	test.each(DEEDS.map((deed) => [deed.name, deed] as const))(
		"403 for %s, naming the way; what could not be done anyhow is said first; with a code it is done",
		async (_, { who, call, impossible, status }) => {
			const here = await scene();
			const person = await callerOf(here, who);
			const [method, path, body] = await call(here);
			if (impossible) {
				const [refused, where, wrongly] = await impossible(here);
				expect((await send(service, method, where, wrongly, as(person))).status).toBe(refused);
			}
			const answer = await send(service, method, path, body, as(person));
			const { error } = (await answer.json()) as { error: { code: string; details?: Record<string, string[]> } };
			expect([answer.status, error.code]).toEqual([403, "forbidden"]);
			expect(error.details?.session).toHaveLength(1);
			expect(error.details?.session?.[0]).toContain("POST /v1/sessions/step-up");
			await stepUp(person);
			expect((await send(service, method, path, body, as(person))).status).toBe(status);
		},
	);

	test("is fresh for 15 minutes after a code, and no longer", async () => {
		const here = await scene();
		const person = await callerOf(here, "free");
		await stepUp(person);
		service.clock.advance(15 * MINUTE_MS - 5_000);
		expect((await newToken(person)).status).toBe(201);
		service.clock.advance(6_000);
		expect((await newToken(person)).status).toBe(403);
	});

	test("409 while one owns an App comes before the code", async () => {
		const { owner } = await scene();
		expect((await send(service, "DELETE", "/v1/me", undefined, as(owner))).status).toBe(409);
	});

	test("is not made fresh by a code to an address that the account no longer has", async () => {
		const here = await scene();
		const person = await callerOf(here, "free");
		const login = await askStepUp(person);
		await service.database.write([
			{ run: sql`UPDATE accounts SET email = 'x' || email, email_norm = 'x' || email_norm WHERE id = ${person.id}` },
		]);
		expect((await errorOf(await verifyLatest(service, login, person.email))).code).toBe("invalid_code");
		expect((await newToken(person)).status).toBe(403);
	});
});

describe("a token", () => {
	test("403 for what concerns the account itself; Apps' and operators' calls go by its scope", async () => {
		const here = await scene();
		const scopes = ["apps:write", "operator:write"] as const;
		const owners = { secret: await addSession(service.database, here.owner.id, { scopes }) };
		for (const [method, path, body] of [
			["PATCH", "/v1/me", { email: "other@example.com" }],
			["POST", "/v1/tokens", { name: "CI", scopes: ["apps:read"], expires_in: "1d" }],
			["DELETE", "/v1/me", undefined],
			["POST", "/v1/sessions/step-up", undefined],
		] as const) {
			const answer = await errorOf(await send(service, method, path, body, as(owners)));
			expect([path, answer.status, answer.fields]).toEqual([path, 403, ["session"]]);
		}
		const operators = { secret: await addSession(service.database, here.operator.id, { scopes }) };
		const disable = `/v1/operator/accounts/${(await addPerson(service.database)).id}/disable`;
		expect((await send(service, "POST", disable, undefined, as(operators))).status).toBe(200);
		await connectUser(service.database, here.app);
		const transfer = `/v1/apps/${here.app.id}/transfer`;
		expect((await send(service, "POST", transfer, { member: here.member.id }, as(owners))).status).toBe(200);
	});
});

const newToken = (person: TestPerson) =>
	send(service, "POST", "/v1/tokens", { name: "CI", scopes: ["apps:read"], expires_in: "1d" }, as(person));

async function askStepUp(person: TestPerson): Promise<SentLogin> {
	return await bodyOf(await send(service, "POST", "/v1/sessions/step-up", undefined, as(person)), 202);
}

async function stepUp(person: TestPerson): Promise<void> {
	await bodyOf(await verifyLatest(service, await askStepUp(person), person.email), 200);
}
