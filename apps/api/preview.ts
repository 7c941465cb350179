import { CONTENT_TYPES } from "@svc/core/formats";
import { getPreview } from "@svc/core/moderation";
import type { Elysia } from "elysia";
import type { Answer, Call } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { operatorRoute } from "./person.ts";

export function preview(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/moderation/images/:id/preview",
		operatorRoute(deps, { scope: "moderation:read" }, (call) => read(deps, call)),
		{
			detail: {
				operationId: "previewImage",
				summary: "The stored picture of an image in whatever state; never cached",
				tags: ["moderation"],
				responses: {
					200: { description: "Success", content: { "image/*": { schema: { type: "string", format: "binary" } } } },
					default: {
						description: "Any error",
						content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
					},
				},
			},
		},
	);
}

async function read(deps: ApiDeps, { params }: Call): Promise<Answer> {
	const { image, blob } = await getPreview(deps, params.id ?? "");
	return {
		status: 200,
		body: blob.stream(),
		headers: {
			"Content-Type": CONTENT_TYPES[image.format],
			"Content-Length": String(blob.bytes),
			// The uploaded name is a stranger's; the id says which picture it is.
			"Content-Disposition": `inline; filename="${image.id}.${image.format}"`,
			"Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; sandbox",
			"Cross-Origin-Resource-Policy": "same-site",
		},
	};
}
