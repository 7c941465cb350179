import { sql } from "drizzle-orm";
import { addApp, connectUser, type TestApp } from "../support/apps.ts";
import { addMember, addPerson, addSession, as, type TestPerson } from "../support/people.ts";
import { corners } from "../support/pictures.ts";
import { send, uploaded } from "../support/requests.ts";
import type { OpenService } from "../support/service.ts";
import { ticket } from "../support/tickets.ts";

/** Who tries each route: the four roles of an App, somebody of another App, an operator who is in no App, and nobody. */
export const ROLES = ["viewer", "editor", "admin", "owner", "outsider", "operator", "nobody"] as const;
export type Who = (typeof ROLES)[number];

/** A fresh App with its team, and what a request needs to be about. Nothing of it is shared with another cell. */
export interface Cast {
	readonly service: OpenService;
	readonly app: TestApp;
	readonly people: Readonly<Record<Exclude<Who, "nobody">, TestPerson>>;
	/** A request as somebody of the team, which must succeed; gives the body. */
	as(who: Exclude<Who, "nobody">, method: string, path: string, body?: unknown): Promise<Made>;
	/** Id of a new image in the App storage. */
	image(): Promise<string>;
	/** Id of a new upload ticket for the App storage. */
	ticket(): Promise<string>;
	/** Id of a new import into the App storage. */
	import(): Promise<string>;
	/** Id of a person who is connected to the App. */
	user(): Promise<string>;
}

type Made = Readonly<Record<string, unknown>> & { readonly id: string };

const picture = await corners(16, 12);

/** The people who belong to no App are the same in all cells: nothing that is tried changes them. */
export interface Strangers {
	readonly outsider: TestPerson;
	readonly operator: TestPerson;
}

export async function findStrangers(service: OpenService): Promise<Strangers> {
	const [outsider, operator] = [
		await addPerson(service.database),
		await addPerson(service.database, { operator: true }),
	];
	await addMember(service.database, await addApp(service.database, "Elsewhere"), outsider, "admin");
	return { outsider, operator };
}

export async function newCast(service: OpenService, strangers: Strangers): Promise<Cast> {
	const { database } = service;
	const app = await addApp(database);
	await database.write([{ run: sql`UPDATE apps SET sign_in = 1, selling = 1 WHERE id = ${app.id}` }]);
	const member = async (role: "viewer" | "editor" | "admin") => {
		const person = await addPerson(database);
		await addMember(database, app, person, role);
		return person;
	};
	const owner = { id: app.ownerId, email: `${app.ownerId.toLowerCase()}@example.com` };
	const people = {
		viewer: await member("viewer"),
		editor: await member("editor"),
		admin: await member("admin"),
		owner: { ...owner, secret: await addSession(database, app.ownerId) },
		...strangers,
	};
	return {
		service,
		app,
		people,
		async as(who, method, path, body) {
			const answer = await send(service, method, path, body, as(people[who], app.id));
			if (!answer.ok) throw new Error(`${method} ${path} as ${who}: ${answer.status} ${await answer.text()}`);
			return (await answer.json()) as Made;
		},
		image: async () => (await uploaded(service, picture, "a.png", {}, { key: app.key })).id,
		ticket: async () => (await ticket(service, {}, { key: app.key })).id,
		async import() {
			const items = [{ url: "https://example.com/a.jpg" }];
			const answer = await send(service, "POST", "/v1/imports", { items }, { key: app.key });
			return ((await answer.json()) as Made).id;
		},
		user: async () => (await connectUser(database, app)).id,
	};
}
