import { expect, test } from "bun:test";
import type { Event } from "@svc/sdk/shapes";
import { connectUser } from "../../support/apps.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";

const service = serviceFor();

async function feed({ appId, viewer }: Team): Promise<readonly Event[]> {
	const answer = await send(service, "GET", "/v1/events", undefined, as(viewer, appId));
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	return ((await answer.json()) as { readonly data: readonly Event[] }).data;
}

async function asked(team: Team, method: string, path: string, body?: unknown) {
	const answer = await send(service, method, `${team.path}${path}`, body, as(team.owner));
	if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Readonly<Record<string, unknown>>;
}

test("a key that is made and revoked is told of without its secret; what is so already is not told again", async () => {
	const team = await makeTeam(service);
	const { secret, ...key } = await asked(team, "POST", "/keys", { name: "A", reach: "app", permissions: ["read"] });
	await asked(team, "DELETE", `/keys/${key.id}`);
	await asked(team, "DELETE", `/keys/${key.id}`);
	const revoked = await asked(team, "GET", `/keys/${key.id}`);
	const told = await feed(team);
	expect(told.map(({ type }) => type)).toEqual(["key.created", "key.revoked"]);
	expect(told.map(({ data }) => data.object)).toEqual([key, revoked] as never);
	expect(JSON.stringify(told)).not.toContain(String(secret));
});

test("a pause by the team and a block by an operator, each once", async () => {
	const team = await makeTeam(service);
	const operator = await addPerson(service.database, { operator: true });
	const paused = await asked(team, "POST", "/pause");
	await asked(team, "POST", "/pause");
	await asked(team, "POST", "/resume");
	await asked(team, "POST", "/resume");
	await send(service, "POST", `/v1/operator/apps/${team.appId}/block`, { reason: "spam" }, as(operator));
	await send(service, "POST", `/v1/operator/apps/${team.appId}/unblock`, {}, as(operator));
	const told = await feed(team);
	expect(told.map(({ type }) => type)).toEqual(["app.paused", "app.resumed", "app.blocked", "app.unblocked"]);
	const { role: _, ...shown } = paused;
	expect(shown).toMatchObject(told[0]?.data.object as object);
	expect(told[2]?.data.object).toMatchObject({ id: team.appId, object: "app", state: "blocked" });
});

test("a user who is disconnected is told of once, not picture by picture, and what was told before is cut", async () => {
	const team = await makeTeam(service);
	const user = await connectUser(service.database, { id: team.appId });
	const { secret: key } = await asked(team, "POST", "/keys", {
		name: "A",
		reach: "app",
		permissions: ["read", "write"],
	});
	const file = await plain(8, 8);
	const caller = { key: String(key), headers: { "X-Svc-User": user.id } };
	const images = [
		await uploaded(service, file, "a.png", { caption: "Mine" }, caller),
		await uploaded(service, file, "b.png", {}, caller),
	];
	const before = (await feed(team)).filter(({ type }) => type === "image.created");
	await asked(team, "DELETE", `/users/${user.id}`);
	await service.runJobs();
	const told = (await feed(team)).filter(({ user_id }) => user_id === user.id);
	expect(told.map(({ type }) => type)).toEqual(["image.created", "image.created", "user.disconnected"]);
	expect(told.slice(0, 2)).toEqual(
		before.map((event, place) => ({ ...event, data: { object: { id: images[place]?.id ?? "", object: "image" } } })),
	);
	expect(told[2]?.data).toEqual({ object: { id: user.id, object: "user", deleted: true } } as never);
});
