import { showPlan } from "../../dry-run.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { defineLeaf } from "../../leaf.ts";
import { CREATED_COLUMNS } from "./columns.ts";
import { CREATE_ARGS, CREATE_REPEATABLE, readCreateFields } from "./create-fields.ts";

export const importImage = defineLeaf({
	summary: "Let the service fetch an image from an address",
	notes: "The service fetches it, not this machine: the address has to be public.",
	examples: [
		"svc images import https://pics.example.com/cat.jpg",
		"svc images import https://pics.example.com/cat.jpg --label album=pets --idempotency-key cat-1",
	],
	args: {
		url: { type: "positional", required: true, description: "Public address of the image" },
		...CREATE_ARGS,
		"idempotency-key": { type: "string", valueHint: "key", description: "Repeating it within a day doubles nothing" },
	},
	repeatable: CREATE_REPEATABLE,
	async run({ args, all }, { client, globals, out, world }) {
		const fields = readCreateFields(args, all);
		if (!URL.canParse(args.url)) throw new UsageError(`"${args.url}" is not an address.`, "svc images upload <file>");
		if (globals.dryRun) {
			const { publishedAt: published_at, ...others } = fields;
			return showPlan(out, [{ method: "POST", path: "/v1/images", body: { url: args.url, ...others, published_at } }]);
		}
		const images = (await client()).images;
		const image = await images.import(args.url, {
			...fields,
			idempotencyKey: args["idempotency-key"],
			signal: world.signal,
		});
		await out.record(CREATED_COLUMNS, image);
		return EXIT.ok;
	},
});
