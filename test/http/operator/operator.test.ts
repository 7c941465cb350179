import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { addApp, connectUser } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { addMember, addPerson, addSession } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask } from "../../support/teams.ts";

const VERSIONS: Readonly<Record<string, string>> = {
	current: "4.6.0",
	transition: "4.4.0-transition",
	legacy: "4.2.0",
};

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));

const operate = (method: string, path: string, body?: unknown, who: { secret: string } = operator) =>
	ask(service, who, method, `/v1/operator${path}`, body);

test("[C][T] the usage counts over all Apps", async () => {
	const before = (await operate("GET", "/usage")).body;
	expect(before).toMatchObject({
		object: "service_usage",
		apps: { total: 2, active: 2, paused: 0, blocked: 0 },
		accounts: { total: 3, active: 3, disabled: 0, deleting: 0 },
		images: { stored: 0, bytes: 0, uploads_this_month: 0 },
		moderation: { locked: 0, blocked: 0, nsfw: 0, open_reports: 0 },
	});
	const file = await plain(8, 6);
	const images = [];
	for (let index = 0; index < 4; index++) {
		images.push(await uploaded(service, file, "a.png", {}, index < 3 ? { key: app.key } : {}));
	}
	const [first, second, third] = images.map(({ id }) => id) as [string, string, string];
	await acted(service, operator, first, "lock");
	await acted(service, operator, second, "block", { reason: "spam" });
	await ask(service, operator, "PATCH", `/v1/moderation/images/${third}`, { nsfw: true });
	await send(service, "POST", "/v1/reports", { url: images[2]?.url, reason: "spam" });
	const user = await connectUser(service.database, app);
	await operate("POST", `/accounts/${user.accountId}/disable`);
	const other = await addApp(service.database);
	await operate("POST", `/apps/${other.id}/block`, { reason: "terms" });
	expect((await operate("GET", "/usage")).body).toMatchObject({
		apps: { total: 3, active: 2, blocked: 1 },
		accounts: { total: 5, active: 4, disabled: 1 },
		users: 1,
		images: { stored: 4, bytes: 4 * file.length, uploads_this_month: 4 },
		moderation: { locked: 1, blocked: 1, nsfw: 1, open_reports: 1 },
	});
});

test("the audit tells who did what, filtered by each of its parameters, page by page", async () => {
	const list = async (query: string) => {
		const { status, body } = await operate("GET", `/audit?limit=100&${query}`);
		expect(status).toBe(200);
		return body.data as { id: string; actor: string; event: string; target: string; created_at: string }[];
	};
	const other = await addApp(service.database);
	const { id } = await uploaded(service, await plain(5, 5), "a.png", {}, { key: other.key });
	service.clock.advance(60_000);
	const since = new Date(service.clock.now()).toISOString();
	await acted(service, operator, id, "block", { reason: "spam", note: "between us" });
	await acted(service, operator, id, "unblock");
	const ofApp = await list(`app=${other.id}`);
	expect(ofApp.map(({ event, actor, target }) => [event, actor === operator.id, target])).toEqual([
		["moderation.unblocked", true, id],
		["moderation.blocked", true, id],
		["image.created", false, id],
	]);
	expect((await list(`app=${other.id}&since=${since}`)).length).toBe(2);
	expect((await list(`app=${other.id}&event=moderation.blocked`)).length).toBe(1);
	expect((await list(`actor=${operator.id}`)).slice(0, 2)).toEqual(ofApp.slice(0, 2));
	expect(await list(`app=${newId("app")}`)).toEqual([]);
	const { body } = await operate("GET", "/audit?limit=2");
	const { next_url } = body.pagination as { next_url: string };
	const next = await ask(service, operator, "GET", next_url.replace(service.rooms.addresses.base, ""));
	expect([...(body.data as object[]), ...(next.body.data as object[])].slice(0, 3) as object[]).toEqual(ofApp);
	for (const [query, field] of [
		["since=x", "since"],
		["cursor=x", "cursor"],
		["who=me", "who"],
	] as const) {
		expect((await operate("GET", `/audit?${query}`)).details).toHaveProperty(field);
	}
	const admin = await addPerson(service.database);
	await addMember(service.database, other, admin, "admin");
	const team = await ask(service, admin, "GET", `/v1/apps/${other.id}/audit`);
	expect((team.body.data as { actor: string }[]).slice(0, 2).map(({ actor }) => actor)).toEqual([
		"operator",
		"operator",
	]);
	expect(JSON.stringify(team.body)).not.toContain(operator.id);
});

test("the health tells what works, what waits, and for how long it has been up", async () => {
	service.clock.advance(90_000);
	const { status, body } = await operate("GET", "/health");
	expect(status).toBe(200);
	expect(body).toMatchObject({
		object: "health",
		ready: true,
		checks: { database: "ok", blobs: "ok", mail: "ok", billing: "ok" },
		version: expect.stringMatching(/^\d+\.\d+\.\d+$/) as string,
		interface_version: VERSIONS[process.env.SVC_TEST_VARIANT ?? "current"],
		database: "file",
		queues: { jobs_failed: 0, uploads_waiting: 0, renders_waiting: 0 },
		counts: { users: expect.any(Number) as number },
	});
	expect(body.uptime_seconds).toBeGreaterThanOrEqual(90);
});

test("403 for all others, 401 for nobody", async () => {
	const moderator = { secret: await addSession(service.database, operator.id, { scopes: ["moderation:write"] }) };
	const person = await addPerson(service.database);
	for (const path of ["/usage", "/audit", "/health"]) {
		for (const who of [moderator, person, { secret: app.key }]) {
			expect((await operate("GET", path, undefined, who)).status).toBe(403);
		}
		expect((await service.api(`/v1/operator${path}`, { headers: {} })).status).toBe(401);
	}
});
