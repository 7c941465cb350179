import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import { MODERATION_ITEM } from "@svc/nouns/moderation";
import type { PreviewOptions } from "@svc/sdk/calls/moderation";
import { ApiError } from "@svc/sdk/failure";
import type { ModerationItem } from "@svc/sdk/shapes";
import { type Context, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { advising } from "../../kit/refusal.ts";
import { DRAWING_ARGS, type Drawing, drawPng, fetchDrawable, isForbidden, readDrawing } from "../images/drawing.ts";
import { ADVICE } from "./act.ts";

export const preview = defineCommand({
	summary: "Draw an image in the terminal, blocked and failed ones too",
	notes: "For operators. --out saves the picture as it is stored. JSON is the moderation item.",
	examples: ["svc moderation preview img_1", "svc moderation preview img_1 --reveal --width 60"],
	args: {
		id: takes.id("Image id"),
		...DRAWING_ARGS,
		out: takes.text("Save the stored picture to a new file, only yours to read", "file"),
	},
	async run({ args }, context) {
		const { management, globals, out, process } = context;
		const drawing = readDrawing(args, context);
		await advising(ADVICE, async () => {
			if (args.out !== undefined) return save(context, args.out, await pictureOf(context, args.id));
			const item = await (await management()).moderation.get(args.id, { signal: process.signal });
			if (out.isJson || globals.field !== undefined) return out.record(MODERATION_ITEM.detail, item);
			return draw(item, drawing, context);
		});
		return EXIT.ok;
	},
});

async function save({ process, out }: Context, file: string, bytes: Uint8Array): Promise<void> {
	// Only the file's owner can read it: other users may have no right to see it.
	await writeFile(resolve(process.cwd, file), bytes, { flag: "wx", mode: 0o600 }).catch(
		(error: NodeJS.ErrnoException) => {
			if (error.code === "EEXIST") throw new LocalError(`${file} exists already.`, "Name another file.", EXIT.conflict);
			throw new LocalError(`${file} cannot be written (${error.code}).`, "Check the folder, and who may write there.");
		},
	);
	await out.note(`Wrote ${bytes.length} bytes to ${file}.`);
}

/** The image in whatever state it is: as it is stored, or a PNG of at most so many pixels. */
async function pictureOf(
	{ management, process }: Context,
	id: string,
	within: PreviewOptions = {},
): Promise<Uint8Array> {
	const { moderation } = await management();
	return new Uint8Array(await (await moderation.preview(id, { ...within, signal: process.signal })).arrayBuffer());
}

async function draw(item: ModerationItem, drawing: Drawing, context: Context): Promise<void> {
	const { id, image, blocked_reason } = item;
	const next = `Save it instead: svc moderation preview ${id} --out ${id}.${image.format}`;
	const { columns, rows } = drawing.box;
	const drawn = () =>
		pictureOf(context, id, { width: columns, height: rows * 2 }).catch((error: unknown) => {
			if (!(error instanceof ApiError && error.code === "media_failed")) throw error;
			throw new LocalError("This picture cannot be drawn.", next);
		});
	// The transform host takes nobody's turn at the API; but Apps may answer nothing there that they have not signed.
	const bytes =
		image.status === "ready"
			? await fetchDrawable(image.url, drawing, context).catch((error: unknown) => {
					if (!isForbidden(error)) throw error;
					return drawn();
				})
			: await drawn();
	await drawPng(bytes, image.nsfw || blocked_reason !== null, drawing, context, next);
}
