import { addRedirectUri, type RedirectUri, removeRedirectUri } from "@svc/apps/profile/redirect-uris";
import { text } from "@svc/variants/bounds";
import { dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { created } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

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

const tags = ["apps"];
const PATH = "/v1/apps/:id/redirect_uris";

export function redirectUris(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, PATH, appRoute(rooms, "apps:read", "viewer"), {
		operationId: "listRedirectUris",
		summary: "Where hosted sign-in may send a browser back to",
		tags,
		of: redirectUriSchema,
		find: (page, call) => rooms.apps.redirectUris.list(call.app.pk, page),
		encode: encodeRedirectUri,
	});
	route(app, "POST", PATH, appRoute(rooms, "apps:write", "admin"), {
		operationId: "addRedirectUri",
		summary: "Adds a redirect URI; compared byte for byte. https, or http on loopback; at most 20",
		tags,
		body: adding,
		answers: { 201: redirectUriSchema },
		run: async (call) => {
			const { uri } = await call.input();
			return created(encodeRedirectUri(await addRedirectUri(rooms.apps, call, uri)));
		},
	});
	route(app, "DELETE", `${PATH}/:uri`, appRoute(rooms, "apps:write", "admin"), {
		operationId: "removeRedirectUri",
		summary: "Removes a redirect URI",
		tags,
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			await removeRedirectUri(rooms.apps, call, call.params.uri);
			return deleted("redirect_uri", call.params.uri);
		},
	});
}
