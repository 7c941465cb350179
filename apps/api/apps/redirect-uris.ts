import { addRedirectUri, type RedirectUri, removeRedirectUri } from "@svc/apps/redirect-uris";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { appRoute } from "../kit/person.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

const adding = {
	uri: v.pipe(
		v.string("must be a string"),
		v.metadata({ jsonSchema: { type: "string", format: "uri", maxLength: 2_048 } }),
	),
};

const redirectUriSchema = v.object({
	id: v.string(),
	object: v.literal("redirect_uri"),
	uri: v.string(),
	created_at: v.string(),
});

function encodeRedirectUri({ id, uri, createdMs }: Omit<RedirectUri, "pk">): v.InferOutput<typeof redirectUriSchema> {
	return { id, object: "redirect_uri", uri, created_at: isoDate(createdMs) };
}

const tags = ["apps"];
const PATH = "/v1/apps/:id/redirect_uris";

export function redirectUris(app: Elysia, deps: ApiDeps): void {
	app.get(
		PATH,
		appRoute(deps, { scope: "apps:read", role: "viewer" }, (call) =>
			listPage(deps, call, {
				find: (page) => deps.redirectUris.list(call.app.pk, page),
				encode: (row) => encodeRedirectUri(row),
			}),
		),
		{
			detail: {
				operationId: "listRedirectUris",
				summary: "Where hosted sign-in may send a browser back to",
				tags,
				...answers(200, listSchema(redirectUriSchema)),
			},
		},
	);
	app.post(
		PATH,
		appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
			const { uri } = await readInput(call, adding);
			return { status: 201, body: encodeRedirectUri(await addRedirectUri(deps, call, uri)) };
		}),
		{
			parse: "none",
			detail: {
				operationId: "addRedirectUri",
				summary: "Adds a redirect URI; compared byte for byte. https, or http on loopback; at most 20",
				tags,
				...jsonBody(v.object(adding)),
				...answers(201, redirectUriSchema),
			},
		},
	);
	app.delete(
		`${PATH}/:uri`,
		appRoute(deps, { scope: "apps:write", role: "admin" }, async (call) => {
			await removeRedirectUri(deps, call, call.params.uri ?? "");
			return deleted("redirect_uri", call.params.uri ?? "");
		}),
		{
			parse: "none",
			detail: {
				operationId: "removeRedirectUri",
				summary: "Removes a redirect URI",
				tags,
				...answers(200, tombstoneSchema("redirect_uri")),
			},
		},
	);
}
