import { ApiError } from "@svc/sdk/failure";
import type { Management } from "@svc/sdk/management";
import { imageUrl } from "@svc/sdk/transform";
import type { Fetch } from "@svc/sdk/wire/request";
import type { DashboardOptions } from "../options.ts";
import type { Preview, State } from "../state/model.ts";
import { type WantedPreview, wantedPreview } from "../state/preview.ts";
import { cellsOf, HALF_BLOCK, pixelsOf, previewTransform } from "./box.ts";
import { type Colours, coloursOf, drawLines } from "./draw.ts";
import { cover, scaleDown } from "./picture.ts";
import { decodePng, PngError, pngSize } from "./png.ts";

interface Source {
	readonly management: Management;
	readonly fetch: Fetch;
	readonly colours: Colours;
	readonly signal: AbortSignal;
}

/** A terminal reads a picture a little at a time, and nothing else meanwhile. */
const LARGEST_FILE = 2_000_000;

/** The picture, or words that say why it cannot be shown; undefined when it is not wanted any more. @throws the signal's reason */
export async function previewFor(wanted: WantedPreview, source: Source): Promise<Preview> {
	const { key } = wanted;
	try {
		return { key, drawing: drawn(await bytesOf(wanted, source), wanted, source.colours) };
	} catch (error) {
		source.signal.throwIfAborted();
		return { key, drawing: { kind: "words", words: wordsFor(error, wanted) } };
	}
}

function drawn(bytes: Uint8Array, { room, cell, isCovered }: WantedPreview, colours: Colours): Preview["drawing"] {
	if (cell !== undefined && bytes.length <= LARGEST_FILE) {
		return { kind: "png", png: bytes, ...cellsOf(pngSize(bytes), cell, room) };
	}
	const picture = scaleDown(decodePng(bytes), room.columns, room.rows * HALF_BLOCK.height);
	const lines = drawLines(isCovered ? cover(picture) : picture, colours);
	return { kind: "cells", lines, columns: picture.width, rows: lines.length };
}

/** The transform host makes a small PNG of any image; the moderation API draws those that it refuses to show. */
async function bytesOf({ image, room, cell = HALF_BLOCK }: WantedPreview, source: Source): Promise<Uint8Array> {
	const { management, fetch, signal } = source;
	if (image.status === "ready") {
		const url = imageUrl(image, previewTransform(room, cell));
		const answer = await fetch(url, { signal, redirect: "manual" });
		if (answer.ok) return new Uint8Array(await answer.arrayBuffer());
	}
	const answer = await management.moderation.preview(image.id, { ...pixelsOf(room, cell), signal });
	return new Uint8Array(await answer.arrayBuffer());
}

function wordsFor(error: unknown, wanted: WantedPreview): string {
	if (error instanceof ApiError && error.code === "media_failed") return savingWords(wanted);
	const why = error instanceof ApiError || error instanceof PngError ? ` ${error.message}` : "";
	return `[no preview.${why} r tries again]`;
}

/** An image that cannot be decoded may still be stored. */
function savingWords({ image }: WantedPreview): string {
	const { id } = image;
	const command = `svc moderation preview ${id} --out ${id}.${image.format}`;
	return `[a ${image.status} ${image.format} cannot be drawn here; save it with: ${command}]`;
}

/** Holding a key down passes many images; only the one that it stops at is fetched. */
const REST_MS = 120;

interface FollowOptions extends Pick<DashboardOptions, "management" | "fetch" | "env"> {
	/** Aborted when the dashboard closes: a picture that is still being fetched would keep the process alive. */
	readonly stopped: AbortSignal;
	took(preview: Preview): void;
}

/** Fetches the picture that the state shows, once the cursor has come to rest. */
export function followPreview(options: FollowOptions): (state: State) => void {
	let underWay: string | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let last = new AbortController();
	const colours = coloursOf(options.env, true);
	const giveUp = () => {
		clearTimeout(timer);
		last.abort();
		underWay = undefined;
	};
	options.stopped.addEventListener("abort", giveUp, { once: true });
	return (state) => {
		const wanted = wantedPreview(state);
		if (wanted === undefined || wanted.key === underWay) return;
		giveUp();
		// The cursor is back at the picture that is shown: another one would take its place.
		if (wanted.key === state.preview?.key) return;
		underWay = wanted.key;
		last = new AbortController();
		const { signal } = last;
		const load = async () => {
			const preview = await previewFor(wanted, { ...options, colours, signal }).catch(() => undefined);
			if (preview === undefined || signal.aborted) return;
			underWay = undefined;
			options.took(preview);
		};
		timer = setTimeout(load, REST_MS);
	};
}
