import { addRedirectUri, type RedirectUri, removeRedirectUri } from "@svc/apps/profile/redirect-uris";
import { text } from "@svc/variants/bounds";
import { dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { managedList } from "./managed-list.ts";

/** More than an address may have, so that the rules of addresses say what is wrong with a longer one. */
const URI_MAX = 8_000;

const adding = {
	uri: v.pipe(text(URI_MAX), v.metadata({ jsonSchema: { type: "string", format: "uri", maxLength: 2_048 } })),
};

const redirectUriSchema = named(
	"RedirectUri",
	v.object({ id: v.string(), object: v.literal("redirect_uri"), uri: v.string(), created_at: dateTime }),
);

function encodeRedirectUri({ id, uri, createdMs }: Omit<RedirectUri, "pk">): v.InferOutput<typeof redirectUriSchema> {
	return { id, object: "redirect_uri", uri, created_at: isoDate(createdMs) };
}

export function redirectUris(app: Elysia, rooms: ApiRooms): void {
	managedList(app, rooms, ["/v1/apps/:id/redirect_uris", "uri"], {
		...{ scope: "apps", tag: "apps", object: "redirect_uri", of: redirectUriSchema, encode: encodeRedirectUri },
		list: ["listRedirectUris", "Where hosted sign-in may send a browser back to"],
		find: (page, call) => rooms.apps.redirectUris.list(call.app.pk, page),
		create: ["addRedirectUri", "Adds a redirect URI; compared byte for byte. https, or http on loopback; at most 20"],
		body: adding,
		made: redirectUriSchema,
		make: async (call, { uri }) => encodeRedirectUri(await addRedirectUri(rooms.apps, call, uri)),
		delete: ["removeRedirectUri", "Removes a redirect URI"],
		remove: (call, uri) => removeRedirectUri(rooms.apps, call, uri),
	});
}
