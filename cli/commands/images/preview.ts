import type { Image } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { DRAWING_ARGS, drawPng, fetchDrawable, readDrawing } from "../../drawing.ts";
import { EXIT, LocalError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { DETAIL_COLUMNS } from "./columns.ts";

function checkReady({ id, status }: Image): void {
	if (status === "ready") return;
	const next =
		status === "processing"
			? "Run the command again in a moment."
			: `Operators can look at it: svc moderation preview ${id}`;
	throw new LocalError(`There is nothing to show: the image is ${status}.`, next);
}

export const preview = defineLeaf({
	summary: "Draw an image in the terminal",
	notes: "Without colours, or on a pipe, it is drawn in characters. JSON is the image itself.",
	examples: ["svc images preview img_1", "svc images preview img_1 --width 40 --colours 256"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Image id" }, ...DRAWING_ARGS },
	async run({ args }, context) {
		const { client, globals, out, world } = context;
		const drawing = readDrawing(args, context);
		const { images } = await client();
		const operators = `Operators can look at it: svc moderation preview ${args.id}`;
		const advice = { not_found: "See what there is: svc images list", media_blocked: operators };
		const image = await advising(advice, () => images.get(args.id, { signal: world.signal }));
		if (out.isJson || globals.field !== undefined) {
			await out.record(DETAIL_COLUMNS, image);
			return EXIT.ok;
		}
		checkReady(image);
		const bytes = await fetchDrawable(image.url, drawing, context);
		await drawPng(bytes, image.nsfw, drawing, context, `svc images open ${image.id}`);
		return EXIT.ok;
	},
});
