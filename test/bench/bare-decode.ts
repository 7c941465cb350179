import sharp from "sharp";
import { answerParent } from "./child.ts";

/* The other side of creates.ts: a file that is decoded and nothing else. */

interface BareDecodes {
	readonly path: string;
	readonly times: number;
}

sharp.concurrency(1);
sharp.cache(false);

answerParent(async ({ path, times }: BareDecodes) => {
	let bytes = 0;
	for (let time = 0; time < times; time++) bytes += (await sharp(path).raw().toBuffer()).length;
	return bytes;
});
