import { LocalError, UsageError } from "@svc/base/processes/exit";
import { ApiError } from "@svc/sdk/failure";
import { imageUrl } from "@svc/sdk/transform";
import { createTransport } from "@svc/sdk/wire/transport";
import { type Box, boxWithin, previewTransform } from "@svc/tui/preview/box";
import { type Colours, coloursOf, drawLines } from "@svc/tui/preview/draw";
import { cover, scaleDown } from "@svc/tui/preview/picture";
import { decodePng, PngError } from "@svc/tui/preview/png";
import type { Context } from "../../kit/command.ts";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";

const COLOURS: readonly Colours[] = ["truecolor", "256", "none"];

/** The flags of every command that draws a picture. */
export const DRAWING_ARGS = {
	width: takes.text("At most this many cells across, up to 80", "cells"),
	colours: takes.choice("Default: what the terminal can do", COLOURS),
	reveal: takes.flag("Show what is flagged"),
} as const;

interface DrawingArgs {
	readonly width?: string | undefined;
	readonly colours?: string | undefined;
	readonly reveal?: boolean | undefined;
}

export interface Drawing {
	/** The cells that the picture may fill. */
	readonly box: Box;
	readonly colours: Colours;
	readonly reveal: boolean;
}

/** The lines of the prompts before and after. */
const KEPT_ROWS = 2;

/** @throws UsageError */
export function readDrawing(args: DrawingArgs, { process }: Context): Drawing {
	const { out, env } = process;
	const width = args.width ?? String(out.columns);
	if (!/^[1-9]\d{0,3}$/.test(width)) throw new UsageError(`--width takes a number of cells; not "${width}".`);
	return {
		box: boxWithin({ columns: Number(width), rows: out.rows - KEPT_ROWS }),
		colours: args.colours === undefined ? coloursOf(env, out.isTerminal) : oneOf("--colours", args.colours, COLOURS),
		reveal: args.reveal === true,
	};
}

/** A PNG of just the cells, from the transform host: it needs no key, so none is sent. */
export async function fetchDrawable(url: string, { box }: Drawing, context: Context): Promise<Uint8Array> {
	return await downloadPicture(imageUrl(url, previewTransform(box)), context);
}

/** A PNG of a form that Apps answer whose policy is `presets`; it may have more pixels than are drawn. */
export async function fetchPlain(url: string, context: Context): Promise<Uint8Array> {
	return await downloadPicture(imageUrl(url.replace(/\.\w+$/, ".png"), { size: "s" }), context);
}

/** Whether it is the App's delivery policy by which an address is not answered. */
export function isForbidden(error: unknown): boolean {
	return error instanceof ApiError && error.code === "forbidden";
}

/** The bytes that an address of an image is answered with. @throws ApiError */
export async function downloadPicture(address: string, { process, globals }: Context): Promise<Uint8Array> {
	const { origin, pathname, search } = new URL(address);
	const host = createTransport({
		baseUrl: origin,
		apiKey: null,
		fetch: process.fetch,
		timeoutMs: globals.leftMs?.(),
		leftMs: globals.leftMs,
	});
	return new Uint8Array(await (await host.download(pathname + search, { signal: process.signal })).arrayBuffer());
}

/** Draws a PNG; one that is flagged is drawn unrecognisably. @throws LocalError where it cannot be drawn; `next` says what else to do */
export async function drawPng(
	bytes: Uint8Array,
	isFlagged: boolean,
	{ box, colours, reveal }: Drawing,
	{ out }: Context,
	next: string,
): Promise<void> {
	const covered = isFlagged && !reveal;
	try {
		const picture = scaleDown(decodePng(bytes), box.columns, box.rows * 2);
		await out.text(drawLines(covered ? cover(picture) : picture, colours).join("\n"));
	} catch (error) {
		if (error instanceof PngError) throw new LocalError(`The picture cannot be drawn. ${error.message}`, next);
		throw error;
	}
	if (covered) await out.note("It is flagged, and therefore covered: --reveal shows it.");
}
