import type { Image } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { openAddress } from "../../open-address.ts";
import type { Column } from "../../table.ts";
import { plainLine } from "../../text.ts";

const COLUMNS: readonly Column<Image>[] = [{ name: "url", value: (image) => image.url }];

export const open = defineLeaf({
	summary: "Open an image in the browser",
	notes: "Prints the address too. Without a screen, or with --print, that is all it does.",
	examples: ["svc images open img_1", "svc images open img_1 --print"],
	args: {
		id: { type: "positional", required: true, valueHint: "id", description: "Image id" },
		print: { type: "boolean", description: "Print the address only" },
	},
	async run({ args }, context) {
		const { client, globals, out, world } = context;
		const { images } = await client();
		const image = await advising({ not_found: "See what there is: svc images list" }, () =>
			images.get(args.id, { signal: world.signal }),
		);
		if (out.isJson || globals.field !== undefined) await out.record(COLUMNS, image);
		else await out.text(plainLine(image.url));
		if (!args.print && !globals.dryRun) await openAddress(context, image.url);
		return EXIT.ok;
	},
});
