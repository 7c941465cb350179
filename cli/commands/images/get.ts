import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { DETAIL_COLUMNS } from "./columns.ts";

export const get = defineLeaf({
	summary: "Show one image",
	examples: ["svc images get img_1", "svc images get img_1 --field sizes.small.url"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Image id" } },
	async run({ args }, { client, out, world }) {
		const image = await (await client()).images.get(args.id, { signal: world.signal });
		await out.record(DETAIL_COLUMNS, image);
		return EXIT.ok;
	},
});
