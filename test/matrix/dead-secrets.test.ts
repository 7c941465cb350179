import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mintSecret } from "@svc/base/crypto/secrets";
import { SCOPES } from "@svc/people/people";
import { sql } from "drizzle-orm";
import { addApp, addKey } from "../support/apps.ts";
import { addPerson, addSession } from "../support/people.ts";
import { type OpenService, openService } from "../support/service.ts";

/* Every operation of the API document, asked with secrets that are of the right form and open nothing: 401 comes before 403. */

const NOTHING: Readonly<Record<string, (service: OpenService) => Promise<string>>> = {
	"an App key that there never was": async () => (await mintSecret("svc_sk_test_")).secret,
	"an App key that was revoked": async ({ database }) => {
		const app = await addApp(database);
		await database.write([
			{ run: sql`UPDATE keys SET revoked_ms = 1 WHERE app_pk = (SELECT pk FROM apps WHERE id = ${app.id})` },
		]);
		return app.key;
	},
	"an App key that has expired": async ({ database }) =>
		await addKey(database, await addApp(database), { expiresMs: 1 }),
	"a session that there never was": async () => (await mintSecret("svc_ses_")).secret,
	"a session that has ended": ended({}),
	"a token that was revoked": ended({ scopes: SCOPES }),
	"the session of a browser": async ({ database }) =>
		await addSession(database, (await addPerson(database)).id, { kind: "web" }),
};

function ended(options: Parameters<typeof addSession>[2]) {
	return async ({ database }: OpenService) => {
		const { id } = await addPerson(database);
		const secret = await addSession(database, id, options);
		await database.write([
			{ run: sql`UPDATE sessions SET revoked_ms = 1 WHERE account_pk = (SELECT pk FROM accounts WHERE id = ${id})` },
		]);
		return secret;
	};
}

interface Operation {
	readonly security?: readonly unknown[];
}

describe.each(["current", "legacy"])("[%s]", (variant) => {
	let service: OpenService;
	let operations: readonly (readonly [method: string, path: string])[];
	beforeAll(async () => {
		service = await openService({ SVC_VARIANT: variant });
		const { paths } = (await (await service.api("/openapi.json")).json()) as {
			readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
		};
		operations = Object.entries(paths).flatMap(([path, methods]) =>
			Object.entries(methods)
				.filter(([, { security }]) => security === undefined || security.length > 0)
				.map(([method]) => [method.toUpperCase(), path.replace(/#.*/, "").replace(/\{\w+\}/g, "x")] as const),
		);
	});
	afterAll(() => service.close());

	test.each(Object.keys(NOTHING))("401 at every operation for %s", async (which) => {
		expect(operations.length).toBeGreaterThan(100);
		const secret = (await NOTHING[which]?.(service)) ?? "";
		const answers = operations.map(async ([method, path]) => {
			const { status } = await service.api(path, { method, headers: { Authorization: `Bearer ${secret}` } });
			return [method, path, status] as const;
		});
		const others = (await Promise.all(answers)).filter(([, , status]) => status !== 401);
		expect(others).toEqual([]);
	});
});
