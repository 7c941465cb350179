import type { SigningKey } from "@svc/delivery/signing-key";
import { createSigningKey, deleteSigningKey } from "@svc/delivery/signing-keys";
import { dateTime, named, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { keyName } from "../keys/key.ts";
import { created } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const entries = {
	id: v.string(),
	object: v.literal("signing_key"),
	created_at: dateTime,
	name: v.string(),
	last4: v.string(),
};
const signingKeySchema = named("SigningKey", v.object(entries));
const madeSchema = named("NewSigningKey", v.object({ ...entries, secret: shownOnce() }));

function encode({ id, createdMs, name, last4 }: Omit<SigningKey, "pk">): v.InferOutput<typeof signingKeySchema> {
	return { id, object: "signing_key", created_at: isoDate(createdMs), name, last4 };
}

const tags = ["delivery"];
const PATH = "/v1/apps/:id/signing_keys";

export function signingKeys(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, PATH, appRoute(rooms, "keys:read", "viewer"), {
		operationId: "listSigningKeys",
		summary: "The keys with which the App signs addresses of its images",
		tags,
		of: signingKeySchema,
		find: (page, call) => rooms.delivery.signingKeys.list(call.app.pk, page),
		encode,
	});
	route(app, "POST", PATH, appRoute(rooms, "keys:write", "admin"), {
		operationId: "createSigningKey",
		summary: "Makes a signing key beside those that there are, 5 at most; its secret is shown once",
		tags,
		body: { name: keyName },
		answers: { 201: madeSchema },
		run: async (call) => {
			const { name } = await call.input();
			const { key, secret } = await createSigningKey(rooms.delivery, call, name);
			return created({ ...encode(key), secret });
		},
	});
	route(app, "DELETE", `${PATH}/:key`, appRoute(rooms, "keys:write", "admin"), {
		operationId: "deleteSigningKey",
		summary: "Removes a signing key: the addresses that it signed are answered no more",
		tags,
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			await deleteSigningKey(rooms.delivery, call, call.params.key);
			return deleted("signing_key", call.params.key);
		},
	});
}
