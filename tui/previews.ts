import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import type { Fetch } from "@svc/sdk/request";
import { imageUrl } from "@svc/sdk/transform";
import { boxWithin, previewTransform } from "./preview/box.ts";
import type { Colours } from "./preview/colours.ts";
import { drawLines } from "./preview/draw.ts";
import { scaleDown } from "./preview/picture.ts";
import { decodePng } from "./preview/png.ts";
import type { WantedPreview } from "./state/preview.ts";
import { wrap } from "./text.ts";

interface Source {
	readonly management: Management;
	readonly fetch: Fetch;
	readonly colours: Colours;
	readonly signal: AbortSignal;
}

/** The transform host makes a small PNG of anything; what it refuses to show the moderation API draws. */
async function bytesOf({ item, columns, rows }: WantedPreview, source: Source): Promise<Uint8Array> {
	const { management, fetch, signal } = source;
	const box = boxWithin({ columns, rows });
	if (item.image.status === "ready") {
		const url = imageUrl(item.image, previewTransform(box));
		const answer = await fetch(url, { signal, redirect: "manual" });
		if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
	}
	const answer = await management.moderation.preview(item.id, { width: box.columns, height: box.rows * 2, signal });
	return new Uint8Array(await answer.arrayBuffer());
}

/** What cannot be decoded can still be kept. */
function savingLines({ item: { id, image }, columns }: WantedPreview): readonly string[] {
	const command = `svc moderation preview ${id} --out ${id}.${image.format}`;
	return wrap(`[a ${image.status} ${image.format} cannot be drawn here; save it with: ${command}]`, columns);
}

/** Lines of at most as many cells as wanted; a line of text where the picture cannot be drawn here. */
export async function previewLines(wanted: WantedPreview, source: Source): Promise<readonly string[]> {
	try {
		const bytes = await bytesOf(wanted, source);
		const box = boxWithin(wanted);
		return drawLines(scaleDown(decodePng(bytes), box.columns, box.rows * 2), source.colours);
	} catch (error) {
		if (error instanceof ApiError && error.code === "media_failed") return savingLines(wanted);
		throw error;
	}
}
