import { type ImageChanges, updateImage } from "@svc/images/update-image";
import { requireJson } from "../kit/body.ts";
import type { Answer, StorageCall } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { decodeFields } from "../kit/fields.ts";

/** `PATCH /v1/images/{id}` */
export async function update(deps: ApiDeps, call: StorageCall): Promise<Answer> {
	const { json, ignored } = deps.variant.update;
	const changes: ImageChanges = decodeFields(deps, await requireJson(call.request), json, ignored);
	const image = await updateImage(deps, call.access, call.params.id ?? "", changes);
	return { status: 200, body: deps.variant.image.encode(image, deps.addresses) };
}
