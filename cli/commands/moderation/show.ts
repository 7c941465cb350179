import { advising } from "../../advice.ts";
import { EXIT } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { ADVICE } from "./act.ts";
import { ITEM_DETAIL } from "./columns.ts";

export const show = defineLeaf({
	summary: "Show an image with its reports and its history",
	notes: "For operators.",
	examples: ["svc moderation show img_1", "svc moderation show img_1 --field image.url"],
	args: { id: { type: "positional", required: true, valueHint: "id", description: "Image id" } },
	async run({ args }, { management, out, world }) {
		const { moderation } = await management();
		const item = await advising(ADVICE, () => moderation.get(args.id, { signal: world.signal }));
		await out.record(ITEM_DETAIL, item);
		return EXIT.ok;
	},
});
