import { createHash } from "node:crypto";
import type { StoreMark } from "@svc/base/ports";
import { MARK_NAME, markText, parseMark } from "../mark.ts";
import { S3Error } from "./errors.ts";
import { drained, ONCE, textAt } from "./objects.ts";
import type { S3Requests } from "./requests.ts";

/** The mark as an object of the bucket. `place` names the bucket for people. */
export function s3Mark(requests: S3Requests, place: string): StoreMark {
	async function put(installation: string, headers: Readonly<Record<string, string>>): Promise<void> {
		const bytes = new TextEncoder().encode(markText(installation));
		const sha256 = createHash("sha256").update(bytes).digest();
		const upload = { open: () => new Blob([bytes]).stream(), bytes: bytes.length, sha256 };
		await requests.send({ method: "PUT", key: MARK_NAME, upload, headers }, drained);
	}

	return {
		place,
		async read() {
			const found = await textAt(requests, MARK_NAME);
			return found && parseMark(found, `the object ${MARK_NAME} in ${place}`);
		},
		async create(installation) {
			try {
				await put(installation, ONCE);
				return true;
			} catch (cause) {
				// Also the answer to a second try, where the answer to the first was lost: the caller reads what is there.
				if (cause instanceof S3Error && cause.status === 412) return false;
				throw cause;
			}
		},
		replace: (installation) => put(installation, {}),
	};
}
