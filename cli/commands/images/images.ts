import { EXIT, LocalError, UsageError } from "@svc/base/processes/exit";
import { IMAGE } from "@svc/nouns/image";
import type { Image } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { confirm } from "../../kit/confirm.ts";
import * as takes from "../../kit/line/takes.ts";
import { advising } from "../../kit/refusal.ts";
import { counted, removeEach } from "../../kit/work/removal.ts";
import { zip } from "../image-jobs/zip.ts";
import { download, url } from "./address.ts";
import { CREATED_COLUMNS } from "./columns.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, readCreateFields } from "./create-fields.ts";
import { DRAWING_ARGS, drawPng, fetchDrawable, fetchPlain, isForbidden, readDrawing } from "./drawing.ts";
import { edit } from "./edit.ts";
import { count, labels, list } from "./list.ts";
import { copy, move, replace, restore } from "./moves.ts";
import { openImage } from "./open.ts";
import { sign } from "./sign.ts";
import { sync } from "./sync.ts";
import { upload } from "./upload.ts";

const importImage = defineCommand({
	summary: "Let the service fetch an image from an address",
	notes: "The service fetches it, not this machine: the address has to be public.",
	examples: [
		"svc images import https://pics.example.com/cat.jpg",
		"svc images import https://pics.example.com/cat.jpg --label album=pets --idempotency-key cat-1",
	],
	args: {
		url: takes.word("Public address of the image"),
		...CREATE_ARGS,
		"idempotency-key": takes.text("Repeating it within a day doubles nothing", "key"),
	},
	repeatable: CREATE_REPEATABLE,
	async run({ args, all }, { client, out, process }) {
		const fields = readCreateFields(args, all);
		if (!URL.canParse(args.url)) throw new UsageError(`"${args.url}" is not an address.`, "svc images upload <file>");
		const images = (await client()).images;
		const image = await images.import(args.url, {
			...fields,
			idempotencyKey: args["idempotency-key"],
			signal: process.signal,
		});
		await out.record(CREATED_COLUMNS, image);
	},
});

const get = defineCommand({
	summary: "Show one image",
	examples: ["svc images get img_1", "svc images get img_1 --field sizes.small.url"],
	args: {
		id: takes.id("Image id"),
		facts: takes.flag("Also what is known of the picture itself"),
	},
	async run({ args }, { client, out, process }) {
		const include = args.facts ? (["facts"] as const) : undefined;
		const image = await (await client()).images.get(args.id, { signal: process.signal, include });
		await out.record(IMAGE.detail, image);
	},
});

const deleteImages = defineCommand({
	summary: "Delete images",
	notes:
		"Asks first, unless --yes is given. For 24 hours svc images restore brings them back; with --permanent nothing does. JSON is an array, also for one image.",
	examples: ["svc images delete img_1 --yes", "svc images delete img_1 img_2 --yes --permanent"],
	args: { permanent: takes.flag("Leave nothing that could be restored") },
	rest: takes.ids("Image ids"),
	run: ({ args, rest }, context) => {
		const { permanent } = args;
		const { signal } = context.process;
		return removeEach(
			{
				ids: rest,
				verb: "deleted",
				before: (ids) => confirm(context, `Delete ${counted("image", ids)}${permanent ? " for good" : ""}?`),
				remove: async (id) => (await context.client()).images.delete(id, { permanent, signal }),
			},
			context,
		);
	},
});

const SIGN = "The App answers signed addresses alone: svc images sign <id>";

const preview = defineCommand({
	summary: "Draw an image in the terminal",
	notes: "Without colours, or on a pipe, it is drawn in characters. JSON is the image itself.",
	examples: ["svc images preview img_1", "svc images preview img_1 --width 40 --colours 256"],
	args: { id: takes.id("Image id"), ...DRAWING_ARGS },
	async run({ args }, context) {
		const { client, globals, out, process } = context;
		const drawing = readDrawing(args, context);
		const { images } = await client();
		const operators = `Operators can look at it: svc moderation preview ${args.id}`;
		const advice = { not_found: "See what there is: svc images list", media_blocked: operators };
		const image = await advising(advice, () => images.get(args.id, { signal: process.signal }));
		if (out.isJson || globals.field !== undefined) {
			await out.record(IMAGE.detail, image);
			return EXIT.ok;
		}
		checkReady(image);
		const bytes = await fetchDrawable(image.url, drawing, context).catch((error: unknown) => {
			if (!isForbidden(error)) throw error;
			return advising({ forbidden: SIGN }, () => fetchPlain(image.url, context));
		});
		await drawPng(bytes, image.nsfw, drawing, context, `svc images open ${image.id}`);
		return EXIT.ok;
	},
});

export const IMAGE_COMMANDS = {
	upload,
	import: importImage,
	list,
	count,
	labels,
	get,
	delete: deleteImages,
	replace,
	restore,
	copy,
	move,
	edit,
	open: openImage("svc images open"),
	preview,
	url,
	download,
	sign,
	sync,
	zip,
};

function checkReady({ id, status }: Image): void {
	if (status === "ready") return;
	const next =
		status === "processing"
			? "Run the command again in a moment."
			: `Operators can look at it: svc moderation preview ${id}`;
	throw new LocalError(`There is nothing to show: the image is ${status}.`, next);
}
