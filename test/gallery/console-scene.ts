import { sql } from "drizzle-orm";
import { connectUser } from "../support/apps.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../support/people.ts";
import { send, uploaded } from "../support/requests.ts";
import { made } from "../support/selling.ts";
import type { StartedService } from "../support/service.ts";
import { ask, makeKey } from "../support/teams.ts";
import { LANDSCAPES } from "./landscapes.ts";

/* An App as it looks after a month of use: pictures with words and labels, a team, users, keys, days. */

export interface ConsoleScene {
	readonly service: StartedService;
	readonly appId: string;
	readonly owner: TestPerson;
	/** By file name. */
	readonly images: ReadonlyMap<string, string>;
	readonly userId: string;
}

const DAY_MS = 86_400_000;
const DAYS = 30;

export async function setConsoleScene(service: StartedService): Promise<ConsoleScene> {
	const owner = await named(service, await addPerson(service.database), "ada@hikers.example");
	const { body } = await ask(service, owner, "POST", "/v1/apps", { name: "Sunday Hikers" });
	const appId = String(body.id);
	const editor = await named(service, await addPerson(service.database), "grace@hikers.example");
	await addMember(service.database, { id: appId }, editor, "editor");
	const path = `/v1/apps/${appId}`;
	await makeKey(service, owner, path, { name: "Website" });
	await makeKey(service, owner, path, {
		name: "Backup at home",
		permissions: ["read"],
		expires_at: new Date(service.clock.now() + 5 * DAY_MS).toISOString(),
	});
	const images = new Map<string, string>();
	for (const { filename, caption, labels, draw } of LANDSCAPES.toReversed()) {
		const fields = { caption, labels: JSON.stringify(labels) };
		const { id } = await uploaded(service, new Uint8Array(await draw()), filename, fields, as(editor, appId));
		images.set(filename, id);
	}
	const userId = await addUsers(service, appId);
	await addDays(service, appId);
	await made(send(service, "PATCH", path, { sign_in_enabled: true }, as(owner)));
	return { service, appId, owner, images, userId };
}

/** What a browser needs to be signed in as the Owner. */
export async function ownerCookies({ service, owner }: ConsoleScene) {
	const value = await addSession(service.database, owner.id, { kind: "web" });
	return [{ name: "session", value, url: service.baseUrl }];
}

async function named(service: StartedService, person: TestPerson, email: string): Promise<TestPerson> {
	await service.database.write([
		{ run: sql`UPDATE accounts SET email = ${email}, email_norm = ${email} WHERE id = ${person.id}` },
	]);
	return { ...person, email };
}

const USERS = ["ines.moreau", "tomas", "yuki.tanaka", "maximiliane.oberhuber-zirngibl", "leo", "nora.lind", "sam"];

async function addUsers(service: StartedService, appId: string): Promise<string> {
	let last = "";
	for (const [at, name] of USERS.entries()) {
		const user = await connectUser(service.database, { id: appId });
		const email = `${name}@example.com`;
		const since = service.clock.now() - (at * 4 + 2) * DAY_MS;
		await service.database.write([
			{
				run: sql`UPDATE accounts SET email = ${email}, email_norm = ${email} WHERE id = ${user.accountId}`,
			},
			{
				run: sql`UPDATE connections SET email_at_consent = ${email}, created_ms = ${since} WHERE user_id = ${user.id}`,
			},
		]);
		last = user.id;
	}
	return last;
}

/** A month that grows, quieter on two days of seven. */
async function addDays(service: StartedService, appId: string): Promise<void> {
	const today = Math.floor(service.clock.now() / DAY_MS);
	const storage = sql`(SELECT storages.pk FROM storages JOIN apps ON apps.pk = app_pk WHERE apps.id = ${appId} AND kind = 'app')`;
	const rows = Array.from({ length: DAYS }, (_, ago) => {
		const week = ago % 7 < 2 ? 0.55 : 1;
		const served = Math.round((2_400 - ago * 52) * week * (1 + 0.22 * Math.sin(ago * 1.9)));
		return sql`(${storage}, ${today - ago}, ${Math.round(served / 9)}, ${served}, ${served * 61_000}, ${Math.round(served / 23)})`;
	});
	await service.database.write([
		{ run: sql`DELETE FROM daily_usage WHERE storage_pk = ${storage}` },
		{
			run: sql`INSERT INTO daily_usage (storage_pk, day, requests, image_requests, bytes_served, renditions) VALUES ${sql.join(rows, sql`, `)}`,
		},
	]);
	const since = service.clock.now() - 60 * DAY_MS;
	await service.database.write([{ run: sql`UPDATE apps SET created_ms = ${since} WHERE id = ${appId}` }]);
}
