import { LocalError } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import { cameAs, failed, type Move, type MoveOutcome, type Ready } from "./move.ts";
import { patiently } from "./patience.ts";

/** Whether another image has the external id of the one that was to be made. */
export function isTaken(error: unknown): boolean {
	return error instanceof ApiError && error.code === "state_conflict" && error.details?.external_id !== undefined;
}

/**
 * What became of a picture whose external id is taken: it is there already, or a stranger has its id. Two collections may give two
 * pictures one name, and neither must be taken for the other.
 * @param sha256 of the file, in hexadecimal, where it went through here
 */
export async function judgeTaken(move: Move, picture: Ready, error: unknown, sha256?: string): Promise<MoveOutcome> {
	const { client, context } = move;
	const { signal } = context.process;
	const { externalId, address } = picture;
	const page = await patiently(move, () => client.images.list({ externalId, include: ["facts"], limit: 1, signal }));
	const [image] = page.data;
	if (!image) return failed(picture, error);
	const { metadata, facts } = image;
	const isSame = sha256 === undefined || facts === undefined || facts.sha256 === sha256;
	if (isSame && metadata.source_url === address) return cameAs(picture, "there", image, move);
	const what = isSame ? `came from ${metadata.source_url ?? "an upload"}` : "is of another file";
	const other = new LocalError(
		`The image ${image.id} has its external id, and ${what}.`,
		`Give that one another: svc images edit ${image.id} --external-id <id>`,
	);
	return failed(picture, other);
}
