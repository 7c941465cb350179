import { afterAll, expect, test } from "bun:test";
import type { Event } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, connectUser } from "../../support/apps.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { addUser, connectAlso } from "../../support/users.ts";
import { openHooks } from "../../support/webhooks.ts";

/* What is left in feeds, and in what is still to be sent, of a person who deletes their account. */

const hooks = await openHooks();
const { service } = hooks;
afterAll(() => hooks.close());
const file = await plain(8, 8);

/** More than one commit of the erasure cuts. */
const MANY = 1_200;

async function feed(key: string): Promise<readonly Event[]> {
	const all: Event[] = [];
	for (let query: string | null = "?limit=100"; query !== null; ) {
		const answer = await send(service, "GET", `/v1/events${query}`, undefined, { key });
		const page = (await answer.json()) as { data: readonly Event[]; pagination: { next_url: string | null } };
		all.push(...page.data);
		query = page.pagination.next_url === null ? null : new URL(page.pagination.next_url).search;
	}
	return all;
}

test("a person who deletes their account is in no App's events any more, however many there were; that there were some stays", async () => {
	const [one, two] = [await addApp(service.database), await addApp(service.database)];
	const person = await addUser(service.database, one);
	const other = await connectUser(service.database, one);
	const also = await connectAlso(service.database, person.accountId, two);
	const make = (app: typeof one, userId: string, caption: string) =>
		uploaded(service, file, "a.png", { caption }, { key: app.key, headers: { "X-Svc-User": userId } });
	await make(one, person.id, "mine");
	await make(one, other.id, "theirs");
	await make(two, also, "mine too");
	await service.database.write([
		{
			run: sql`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
				INSERT INTO events (id, app_pk, user_id, type, subject, data, created_ms)
				SELECT 'evt_' || hex(randomblob(11)), app_pk, user_id, type, subject, data, created_ms FROM events, numbers
				WHERE user_id = ${person.id} AND type = 'image.created'`,
		},
	]);
	const before = [await feed(one.key), await feed(two.key)];
	const isNamed = (feeds: unknown) => JSON.stringify(feeds).includes("mine");
	expect(isNamed(before)).toBe(true);
	const deleted = await send(service, "DELETE", "/v1/me", undefined, as(person));
	expect(deleted.status).toBe(202);
	await service.runJobs();
	const after = [await feed(one.key), await feed(two.key)];
	expect(isNamed(after)).toBe(false);
	for (const [place, userId] of [person.id, also].entries()) {
		const [was = [], is = []] = [before[place], after[place]];
		expect(is.slice(0, was.length).map(({ id, type }) => [id, type])).toEqual(was.map(({ id, type }) => [id, type]));
		expect(is.slice(was.length).map(({ type, user_id }) => [type, user_id])).toEqual([["user.disconnected", userId]]);
		const about = is.slice(0, was.length).filter(({ user_id }) => user_id === userId);
		for (const { data } of about) expect(Object.keys(data.object as object).sort()).toEqual(["id", "object"]);
	}
	const theirs = after[0]?.find(({ user_id, type }) => user_id === other.id && type === "image.created");
	expect(theirs?.data.object).toMatchObject({ caption: "theirs" });
});

test("what is sent after that shows no more than the feed, under the id and with a signature as ever", async () => {
	let works = false;
	const hook = await hooks.withEndpoint((_, response) => response.writeHead(works ? 200 : 500).end());
	const { appId, owner, path } = hook.team;
	const user = await connectUser(service.database, { id: appId });
	const made = await send(
		service,
		"POST",
		`${path}/keys`,
		{ name: "A", reach: "app", permissions: ["write"] },
		as(owner),
	);
	const { secret } = (await made.json()) as { readonly secret: string };
	const caller = { key: secret, headers: { "X-Svc-User": user.id } };
	const image = await uploaded(service, file, "a.png", { caption: "mine" }, caller);
	await service.sendWebhooks();
	await send(service, "DELETE", `${path}/users/${user.id}`, undefined, as(owner));
	await service.runJobs();
	works = true;
	hooks.forward(60_000);
	await service.sendWebhooks();
	const [first, again] = hook.got();
	expect(first?.body).toContain("mine");
	expect(JSON.parse(again?.body ?? "")).toMatchObject({ type: "image.created", user_id: user.id });
	expect(JSON.parse(again?.body ?? "").data).toEqual({ object: { id: image.id, object: "image" } });
	expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"] ?? "");
});
