import { APP_KEY_REACHES } from "@svc/base/enumerations";
import { changeKey, createKey, getKey, type MadeKey, revokeKey, rotateKey } from "@svc/keys/app-keys";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { duration } from "../kit/durations.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute } from "../kit/person.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { keyExpiry, keyPermissions } from "./key-fields.ts";
import { keyName } from "./key-name.ts";
import { encodeManagedKey, madeKeySchema, managedKeySchema } from "./key-object.ts";

const creating = {
	name: keyName,
	reach: v.picklist(APP_KEY_REACHES, "must be app or bucket"),
	permissions: keyPermissions,
	expires_at: keyExpiry,
};
const changing = { name: v.optional(keyName), expires_at: keyExpiry };
const rotating = { old_expires_in: v.optional(duration({ minSeconds: 0, maxSeconds: 365 * 86_400 })) };

/** The one answer that holds the secret. */
function made({ key, secret }: MadeKey): Answer {
	const body: v.InferOutput<typeof madeKeySchema> = { ...encodeManagedKey(key), secret };
	return { status: 201, body };
}

const tags = ["keys"];
const one = answers(200, managedKeySchema);
const PATH = "/v1/apps/:id/keys";

export function appKeys(app: Elysia, deps: ApiDeps): void {
	app.get(
		PATH,
		appRoute(deps, { scope: "keys:read", role: "viewer" }, (call) =>
			listPage(deps, call, {
				find: (page) => deps.appKeys.list(call.app.pk, page),
				encode: (key) => encodeManagedKey(key),
			}),
		),
		{
			detail: {
				operationId: "listKeys",
				summary: "The App's keys, revoked ones too",
				tags,
				...answers(200, listSchema(managedKeySchema)),
			},
		},
	);
	app.post(
		PATH,
		appRoute(deps, { scope: "keys:write", role: "admin" }, async (call) => {
			const { name, reach, permissions, expires_at: expiresMs = null } = await readInput(call, creating);
			return made(await createKey(deps, call, { name, reach, permissions: new Set(permissions), expiresMs }));
		}),
		{
			parse: "none",
			detail: {
				operationId: "createKey",
				summary: "Makes a key; its secret is shown once",
				tags,
				...jsonBody(v.object(creating)),
				...answers(201, madeKeySchema),
			},
		},
	);
	app.get(
		`${PATH}/:key`,
		appRoute(deps, { scope: "keys:read", role: "viewer" }, async (call) => ({
			status: 200,
			body: encodeManagedKey(await getKey(deps, call, call.params.key ?? "")),
		})),
		{ detail: { operationId: "getAppKey", summary: "One of the App's keys", tags, ...one } },
	);
	changes(app, deps);
}

function changes(app: Elysia, deps: ApiDeps): void {
	app.patch(
		`${PATH}/:key`,
		appRoute(deps, { scope: "keys:write", role: "viewer" }, async (call) => {
			const { name, expires_at: expiresMs } = await readInput(call, changing);
			return {
				status: 200,
				body: encodeManagedKey(await changeKey(deps, call, call.params.key ?? "", { name, expiresMs })),
			};
		}),
		{
			parse: "none",
			detail: {
				operationId: "changeKey",
				summary: "Renames a key or changes when it expires; only its creator can",
				tags,
				...jsonBody(v.object(changing)),
				...one,
			},
		},
	);
	app.delete(
		`${PATH}/:key`,
		appRoute(deps, { scope: "keys:write", role: "viewer" }, async (call) => {
			await revokeKey(deps, call, call.params.key ?? "");
			return deleted("key", call.params.key ?? "");
		}),
		{
			parse: "none",
			detail: {
				operationId: "revokeKey",
				summary: "Revokes a key for good: its creator, Admins and the Owner can",
				tags,
				...answers(200, tombstoneSchema("key")),
			},
		},
	);
	app.post(
		`${PATH}/:key/rotate`,
		appRoute(deps, { scope: "keys:write", role: "viewer" }, async (call) => {
			const { old_expires_in: oldSeconds } = await readInput(call, rotating);
			return made(await rotateKey(deps, call, call.params.key ?? "", oldSeconds));
		}),
		{
			parse: "none",
			detail: {
				operationId: "rotateKey",
				summary:
					"Makes a successor; the old key works until it is revoked, or for old_expires_in. Only its creator can",
				tags,
				...jsonBody(v.object(rotating)),
				...answers(201, madeKeySchema),
			},
		},
	);
}
