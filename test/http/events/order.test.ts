import { expect, test } from "bun:test";
import type { List } from "@svc/sdk/types";
import { addApp, connectUser } from "../../support/apps.ts";
import { addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor({ SVC_VARIANT: "current" });
const file = await plain(8, 8);
const AHEAD_MS = 5_000;

interface Told {
	readonly type: string;
	readonly created_at: string;
}

test("created_at never falls along the feed of an App, whatever is done at once, and by clocks that differ", async () => {
	const app = await addApp(service.database);
	const owner = as({ secret: await addSession(service.database, app.ownerId) });
	const users = [await connectUser(service.database, app), await connectUser(service.database, app)];
	const path = `/v1/apps/${app.id}`;
	const byOwner = <T>(method: string, rest: string, body?: object) =>
		made<T>(send(service, method, `${path}${rest}`, body, owner));
	const picture = async (headers: Record<string, string> = {}) => {
		const caller = { key: app.key, headers };
		const { id } = await uploaded(service, file, "a.png", {}, caller);
		await made(send(service, "PATCH", `/v1/images/${id}`, { caption: "new" }, caller));
		await made(send(service, "DELETE", `/v1/images/${id}`, undefined, caller));
	};
	const key = async () => {
		const { id } = await byOwner<{ readonly id: string }>("POST", "/keys", {
			name: "A",
			reach: "app",
			permissions: ["read"],
		});
		await byOwner("DELETE", `/keys/${id}`);
	};
	const leave = async ({ id }: { readonly id: string }) => {
		await picture({ "X-Svc-User": id });
		await byOwner("DELETE", `/users/${id}`);
	};
	// As of several machines: each look at the clock may be seconds before the one that came first.
	const { now } = service.clock;
	let looks = 0;
	service.clock.now = () => now.call(service.clock) + ((looks++ * 1_237) % AHEAD_MS);
	await Promise.all([...Array.from({ length: 5 }, () => picture()), key(), key(), ...users.map(leave)]);
	service.clock.now = now;
	const { data } = await made<List<Told>>(send(service, "GET", "/v1/events?limit=100", undefined, { key: app.key }));
	const times = data.map(({ created_at }) => created_at);
	expect(times).toEqual(times.toSorted());
	expect([data.length, new Set(data.map(({ type }) => type)).size]).toEqual([27, 6]);
});
