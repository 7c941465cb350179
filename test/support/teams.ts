import { addMember, addPerson, as, type TestPerson } from "./people.ts";
import { send } from "./requests.ts";
import type { OpenService } from "./service.ts";

/* An App with somebody in every role, and calls that any of them makes. */

export const TEAM_ROLES = ["viewer", "editor", "admin", "owner"] as const;
export type TeamRole = (typeof TEAM_ROLES)[number];

export interface Reply {
	readonly status: number;
	/** The body, whatever it is. */
	readonly body: Readonly<Record<string, unknown>>;
	/** Of an error; empty for a success. */
	readonly code: string;
	readonly details: Readonly<Record<string, readonly string[]>>;
}

/** A call to the management API by a person, or by the holder of any other secret. */
export async function ask(
	service: OpenService,
	caller: { readonly secret: string },
	method: string,
	path: string,
	body?: unknown,
): Promise<Reply> {
	const response = await send(service, method, path, body, as(caller));
	const json = (await response.json()) as Record<string, unknown>;
	const error = json.error as { code?: string; details?: Reply["details"] } | undefined;
	return { status: response.status, body: json, code: error?.code ?? "", details: error?.details ?? {} };
}

export type Team = Readonly<Record<TeamRole, TestPerson>> & { readonly appId: string; readonly path: string };

/** An App made by its Owner, with a member in each of the other roles. */
export async function makeTeam(service: OpenService, name = "Pictures"): Promise<Team> {
	const { database } = service;
	const owner = await addPerson(database);
	const made = await ask(service, owner, "POST", "/v1/apps", { name });
	if (made.status !== 201) throw new Error(JSON.stringify(made.body));
	const appId = String(made.body.id);
	const [viewer, editor, admin] = [await addPerson(database), await addPerson(database), await addPerson(database)];
	await addMember(database, { id: appId }, viewer, "viewer");
	await addMember(database, { id: appId }, editor, "editor");
	await addMember(database, { id: appId }, admin, "admin");
	return { owner, admin, editor, viewer, appId, path: `/v1/apps/${appId}` };
}

/** What each role is answered, lowest first. */
export async function statuses(ask: (role: TeamRole) => Promise<Reply>): Promise<readonly number[]> {
	const answered: number[] = [];
	for (const role of TEAM_ROLES) answered.push((await ask(role)).status);
	return answered;
}

export interface TeamKey {
	readonly id: string;
	readonly secret: string;
}

export async function makeKey(
	service: OpenService,
	person: TestPerson,
	path: string,
	request: Readonly<Record<string, unknown>> = {},
): Promise<TeamKey> {
	const key = { name: "A key", reach: "app", permissions: ["read", "write"], ...request };
	const made = await ask(service, person, "POST", `${path}/keys`, key);
	if (made.status !== 201) throw new Error(JSON.stringify(made.body));
	return { id: String(made.body.id), secret: String(made.body.secret) };
}

/** What a key's own call is answered. */
export async function statusOfKey(service: OpenService, { secret }: TeamKey, path = "/v1/usage"): Promise<number> {
	return (await send(service, "GET", path, undefined, { key: secret })).status;
}

/** The events of an App's audit, oldest first. */
export async function eventsOf(service: OpenService, { admin, path }: Team): Promise<readonly string[]> {
	const { body } = await ask(service, admin, "GET", `${path}/audit?limit=100`);
	return (body.data as { event: string }[]).map(({ event }) => event).reverse();
}
