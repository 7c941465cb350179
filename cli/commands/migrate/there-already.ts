import { ApiError } from "@svc/sdk/failure";
import { LocalError } from "../../kit/exit.ts";
import { cameAs, failed, type Move, type Outcome, type Ready } from "./move.ts";
import { patiently } from "./patience.ts";

/** Whether another image has the external id of the one that was to be made. */
export function isTaken(error: unknown): boolean {
	return error instanceof ApiError && error.code === "state_conflict" && error.details?.external_id !== undefined;
}

/**
 * What became of a picture whose external id is taken: it is there already, or a stranger has its id. Two collections may give two
 * pictures one name, and neither must be taken for the other.
 */
export async function judgeTaken(move: Move, picture: Ready, error: unknown): Promise<Outcome> {
	const { client, context } = move;
	const { signal } = context.process;
	const { externalId, address } = picture;
	const page = await patiently(signal, () => client.images.list({ externalId, limit: 1, signal }));
	const [image] = page.data;
	if (!image) return failed(picture, error);
	if (image.metadata.source_url === address) return cameAs(picture, "there", image, move);
	const other = new LocalError(
		`The image ${image.id} has its external id, and came from ${image.metadata.source_url ?? "an upload"}.`,
		`Give that one another: svc images edit ${image.id} --external-id <id>`,
	);
	return failed(picture, other);
}
