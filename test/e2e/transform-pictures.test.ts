import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import sharp from "sharp";
import { EXAMPLES } from "../gallery/transform-examples.ts";
import { transformPictures } from "../gallery/transform-pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";

const FOLDER = new URL("../../docs/reference/pictures/", import.meta.url);
/** Of 255, for one channel of a pixel: another release of an encoder makes other pixels. */
const MEAN_DIFFERENCE = 3;

let server: ServerProcess;
let pictures: ReadonlyMap<string, Buffer>;

beforeAll(async () => {
	server = await startProcess();
	await server.ready();
	pictures = await transformPictures(server.baseUrl, /svc_sk_test_\w+/.exec(server.stdout())?.[0] ?? "");
}, 120_000);
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

const pixelsOf = async (picture: Uint8Array) => await sharp(picture).raw().toBuffer();

test("the reference has a picture for each parameter that changes one, and no other", async () => {
	expect((await readdir(FOLDER)).toSorted()).toEqual(
		Object.keys(EXAMPLES)
			.map((name) => `${name}.webp`)
			.toSorted(),
	);
});

test.each(Object.keys(EXAMPLES))(
	"the picture of %s is what the service makes of it today: else `bun test/gallery/transforms.ts`",
	async (name) => {
		const kept = await pixelsOf(await readFile(new URL(`${name}.webp`, FOLDER)));
		const made = await pixelsOf(pictures.get(name) ?? new Uint8Array());
		expect(made.length).toBe(kept.length);
		const sum = made.reduce((total, value, at) => total + Math.abs(value - (kept[at] ?? 0)), 0);
		expect(sum / made.length).toBeLessThan(MEAN_DIFFERENCE);
	},
);
