import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { send } from "../support/requests.ts";
import { type OpenService, openService } from "../support/service.ts";
import { APP_ROWS } from "./app-rows.ts";
import { findStrangers, newCast, ROLES, type Strangers, type Who } from "./cast.ts";
import type { Row } from "./row.ts";
import { OWN_STORAGE_ROWS, SERVICE_ROWS } from "./service-rows.ts";

/* Every route, tried by everybody: each cell is a request over HTTP to an App of its own. */

interface Stage {
	readonly service: OpenService;
	readonly strangers: Strangers;
}

let current: Stage;
/** The interface that has people's own storages as well. */
let legacy: Stage;
beforeAll(async () => {
	current = await openStage("current");
	legacy = await openStage("legacy");
});
afterAll(() => Promise.all([current, legacy].map(({ service }) => service.close())));

async function openStage(variant: string): Promise<Stage> {
	const service = await openService({ SVC_SIGN_IN_IP_RATE: "0", SVC_VARIANT: variant });
	return { service, strangers: await findStrangers(service) };
}

const ROWS = [...APP_ROWS, ...SERVICE_ROWS];
const TEAM: readonly Who[] = ["viewer", "editor", "admin", "owner"];

/** What a route answers to whom: who is not signed in 401, who has no part in the App 404, whose role is too low 403. */
function expected({ audience, status, but }: Row, who: Who): number {
	const exception = but?.[who];
	if (exception !== undefined) return exception;
	if (audience === "anybody") return status;
	return who === "nobody" ? 401 : expectedSignedIn(audience, status, who);
}

function expectedSignedIn(audience: Row["audience"], status: number, who: Who): number {
	switch (audience) {
		case "anybody":
		case "signed-in":
			return status;
		case "key":
			return 403;
		case "operator":
			return who === "operator" ? status : 403;
		case "creator":
			return who === "admin" ? status : TEAM.includes(who) ? 403 : 404;
		default:
			return expectedInTeam(audience, status, who);
	}
}

function expectedInTeam(role: Who, status: number, who: Who): number {
	if (!TEAM.includes(who)) return 404;
	return TEAM.indexOf(who) >= TEAM.indexOf(role) ? status : 403;
}

async function attempt({ service, strangers }: Stage, row: Row, who: Who): Promise<number> {
	const cast = await newCast(service, strangers);
	const { path, body } = await row.attempt(cast);
	const [method = ""] = row.route.split(" ");
	const headers: Record<string, string> = { "X-Svc-App": cast.app.id };
	const caller = who === "nobody" ? { key: "" } : { key: cast.people[who].secret };
	const answer = await send(service, method, path, body, { ...caller, headers });
	return answer.status;
}

const IDS: Readonly<Record<string, string>> = {
	"GET /v1/apps/:id/users": " [roles.all-see-users]",
	"POST /v1/apps/:id/keys": " [roles.admin.create-key, roles.editor.cannot-create-key]",
	"DELETE /v1/apps/:id/keys/:key": " [roles.admin.revoke-key, roles.any-admin-revokes]",
	"PATCH /v1/apps/:id/keys/:key": " [roles.key-creator-changes]",
	"POST /v1/apps/:id/invites": " [roles.admin.invite]",
	"DELETE /v1/apps/:id/members/:member": " [roles.admin.remove]",
	"PATCH /v1/apps/:id/members/:member": " [roles.admin.change-roles]",
	"PATCH /v1/apps/:id": " [roles.admin.rename]",
	"POST /v1/apps/:id/redirect_uris": " [roles.admin.sign-in-setup]",
	"POST /v1/apps/:id/pause": " [roles.admin.pause]",
	"DELETE /v1/apps/:id": " [roles.owner.delete-app]",
	"POST /v1/apps/:id/plans": " [roles.owner.sold-plans]",
	"POST /v1/apps/:id/billing/checkout": " [roles.owner.own-plan-start]",
	"POST /v1/apps/:id/billing/cancel": " [roles.admin.own-plan-billing]",
};

describe("who may call what", () => {
	for (const [place, row] of ROWS.entries()) {
		test(`${row.route} (${place}) is for ${row.audience}${IDS[row.route] ?? ""}`, async () => {
			await expectRow(current, row);
		});
	}
	for (const row of OWN_STORAGE_ROWS) {
		test(`${row.route}, of a person's own storage, is for ${row.audience}`, async () => {
			await expectRow(legacy, row);
		});
	}
});

async function expectRow(stage: Stage, row: Row): Promise<void> {
	const answers = await Promise.all(ROLES.map(async (who) => [who, await attempt(stage, row, who)] as const));
	expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(ROLES.map((who) => [who, expected(row, who)])));
}

test("a route without a row fails here", async () => {
	const underV1 = await servedBy(current);
	expect(underV1.length).toBeGreaterThan(90);
	expect(routesOf(ROWS)).toEqual(underV1);
	const known = new Set(underV1);
	expect((await servedBy(legacy)).filter((route) => !known.has(route))).toEqual(routesOf(OWN_STORAGE_ROWS));
});

async function servedBy({ service }: Stage): Promise<string[]> {
	const document = (await (await service.api("/openapi.json")).json()) as { paths: Record<string, object> };
	const served = Object.entries(document.paths).flatMap(([path, operations]) =>
		Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
	);
	// An address with a fragment is another description of the same call.
	return served.filter((route) => route.includes(" /v1/") && !route.includes("#")).sort();
}

function routesOf(rows: readonly Row[]): string[] {
	return [...new Set(rows.map(({ route }) => route))].sort();
}
