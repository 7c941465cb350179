import type { SigningKey } from "@svc/delivery/signing-key";
import { createSigningKey, deleteSigningKey } from "@svc/delivery/signing-keys";
import { dateTime, named, shownOnce } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { managedList } from "../apps/managed-list.ts";
import { keyName } from "../keys/key.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";

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

export function signingKeys(app: Elysia, rooms: ApiRooms): void {
	managedList(app, rooms, ["/v1/apps/:id/signing_keys", "key"], {
		...{ scope: "keys", tag: "delivery", object: "signing_key", of: signingKeySchema, encode },
		list: ["listSigningKeys", "The keys with which the App signs addresses of its images"],
		find: (page, call) => rooms.delivery.signingKeys.list(call.app.pk, page),
		create: [
			"createSigningKey",
			"Makes a signing key beside those that there are, 5 at most; its secret is shown once",
		],
		body: { name: keyName },
		made: madeSchema,
		make: async (call, { name }) => {
			const { key, secret } = await createSigningKey(rooms.delivery, call, name);
			return { ...encode(key), secret };
		},
		delete: ["deleteSigningKey", "Removes a signing key: the addresses that it signed are answered no more"],
		remove: (call, id) => deleteSigningKey(rooms.delivery, call, id),
	});
}
