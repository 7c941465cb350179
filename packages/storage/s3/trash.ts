import type { BlobTrash } from "@svc/base/ports";
import { checkKey } from "../keys.ts";
import { S3Error } from "./errors.ts";
import { headOf, listObjects, removeFrom } from "./objects.ts";
import type { S3Requests } from "./requests.ts";

const PREFIX = "trash/";

/** The trash of a bucket: objects `trash/<key>`. The store copies them by itself, and their time tells when they came there. */
export function s3Trash(requests: S3Requests, bucket: string): BlobTrash {
	const trashed = (key: string) => {
		checkKey(key);
		return `${PREFIX}${key}`;
	};

	/** False where there is nothing to move. The copy is there, and as long, before the other one goes. */
	async function move(from: string, to: string): Promise<boolean> {
		const before = await headOf(requests, from);
		if (!before) return false;
		const headers = { "x-amz-copy-source": `/${bucket}/${from}` };
		await requests.send({ method: "PUT", key: to, headers, coming: before.bytes }, async (response) => {
			// A copy that fails half-way is answered 200 with an error in the body.
			if (!(await response.text()).includes("CopyObjectResult"))
				throw new S3Error("the object store did not copy an object", { passing: true });
		});
		if ((await headOf(requests, to))?.bytes !== before.bytes) throw new Error(`${from} was not copied as it is`);
		await removeFrom(requests, from);
		return true;
	}

	return {
		async put(key) {
			await move(key, trashed(key));
		},
		async list(after) {
			const page = await listObjects(requests, PREFIX, after);
			return { ...page, blobs: page.blobs.map((one) => ({ ...one, key: one.key.slice(PREFIX.length) })) };
		},
		restore: (key) => move(trashed(key), key),
		remove: (key) => removeFrom(requests, trashed(key)),
	};
}
