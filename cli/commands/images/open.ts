import { type Command, defineCommand } from "../../kit/command.ts";
import * as takes from "../../kit/line/takes.ts";
import { OPEN_ARGS, OPEN_NOTES, openPage } from "../../kit/open-page.ts";
import { advising } from "../../kit/refusal.ts";

/** The command, which stands among those about images and among those that open something; `name` is how it is typed there. */
export function openImage(name: string): Command {
	return defineCommand({
		summary: "Open an image in the browser",
		notes: OPEN_NOTES,
		examples: [`${name} img_1`, `${name} img_1 --print`],
		args: {
			id: takes.id("Image id"),
			...OPEN_ARGS,
		},
		async run({ args }, context) {
			const { images } = await context.client();
			const { signal } = context.process;
			const advice = { not_found: "See what there is: svc images list" };
			const { url } = await advising(advice, () => images.get(args.id, { signal }));
			return await openPage(context, url, args.print);
		},
	});
}
