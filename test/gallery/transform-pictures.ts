import { createClient } from "@svc/sdk/client";
import sharp from "sharp";
import { SCENES, type SceneName } from "./scenes.ts";
import { EXAMPLES, type Example, MARK, type ShownName } from "./transform-examples.ts";

/* The pictures of the reference of transform parameters, as a running service makes them. */

const BOX = { width: 360, height: 240 } as const;
const GAP = 16;
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0 } as const;

/** Uploads the scenes to a service, and makes of each example one picture: before on the left, after on the right. */
export async function transformPictures(baseUrl: string, apiKey: string): Promise<ReadonlyMap<ShownName, Buffer>> {
	const { images } = createClient({ baseUrl, apiKey });
	const uploaded = new Map<SceneName, { readonly url: string; readonly id: string }>();
	for (const [name, { filename, draw }] of Object.entries(SCENES)) {
		uploaded.set(name as SceneName, await images.upload(new Uint8Array(await draw()), { filename }));
	}
	const mark = uploaded.get("mark")?.id ?? "";
	const pictures = new Map<ShownName, Buffer>();
	for (const [name, { scene, before, after }] of Object.entries(EXAMPLES) as [ShownName, Example][]) {
		const url = uploaded.get(scene)?.url ?? "";
		const tiles = await Promise.all([before, after].map((query) => tile(`${url}?${query.replace(MARK, mark)}`)));
		pictures.set(name, await sideBySide(tiles));
	}
	return pictures;
}

/** No larger than it is. @throws Error for anything but a picture */
async function tile(address: string): Promise<Buffer> {
	const answer = await fetch(address);
	if (!answer.ok) throw new Error(`${answer.status} of ${address}`);
	const image = sharp(await answer.arrayBuffer()).resize({ ...BOX, fit: "inside", withoutEnlargement: true });
	const { data, info } = await image.ensureAlpha().png().toBuffer({ resolveWithObject: true });
	const [left, top] = [Math.floor((BOX.width - info.width) / 2), Math.floor((BOX.height - info.height) / 2)];
	const [right, bottom] = [BOX.width - info.width - left, BOX.height - info.height - top];
	return await sharp(data).extend({ left, top, right, bottom, background: CLEAR }).png().toBuffer();
}

async function sideBySide(tiles: readonly Buffer[]): Promise<Buffer> {
	const width = tiles.length * (BOX.width + GAP) - GAP;
	const layers = tiles.map((input, index) => ({ input, left: index * (BOX.width + GAP), top: 0 }));
	const sheet = sharp({ create: { width, height: BOX.height, channels: 4, background: CLEAR } });
	return await sheet.composite(layers).webp({ quality: 80 }).toBuffer();
}
