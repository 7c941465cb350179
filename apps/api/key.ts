import type { Elysia } from "elysia";
import * as v from "valibot";
import { type Answer, type KeyCall, keyRoute } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { answers } from "./document.ts";

const keySchema = v.object({
	id: v.string(),
	object: v.literal("key"),
	name: v.string(),
	reach: v.picklist(["app", "bucket", "user"]),
	permissions: v.array(v.picklist(["read", "write"])),
	prefix: v.string(),
	last4: v.string(),
	created_at: v.string(),
	last_used_at: v.nullable(v.string()),
	expires_at: v.nullable(v.string()),
	app: v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
});

export function key(app: Elysia, deps: ApiDeps): void {
	app.get("/v1/key", keyRoute(deps, "any", read), {
		detail: {
			operationId: "getKey",
			summary: "The key that makes this call: its reach, permissions and App",
			tags: ["keys"],
			...answers(200, keySchema),
		},
	});
}

async function read({ access }: KeyCall): Promise<Answer> {
	const { key: record, app } = access;
	const body: v.InferOutput<typeof keySchema> = {
		id: record.id,
		object: "key",
		name: record.name,
		reach: record.reach,
		permissions: [...record.permissions].sort(),
		prefix: record.prefix,
		last4: record.last4,
		created_at: isoDate(record.createdMs),
		last_used_at: record.lastUsedMs === null ? null : isoDate(record.lastUsedMs),
		expires_at: record.expiresMs === null ? null : isoDate(record.expiresMs),
		app: { id: app.id, object: "app", name: app.name },
	};
	return { status: 200, body };
}

function isoDate(milliseconds: number): string {
	return new Date(milliseconds).toISOString();
}
