import { createHash } from "node:crypto";
import type { OutputFormat } from "@svc/base/enumerations";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp, { type Sharp } from "sharp";
import { countOf } from "./apps.ts";
import { corpus } from "./corpus.ts";
import { uploaded } from "./requests.ts";
import type { OpenService } from "./service.ts";
import { until } from "./workers.ts";

/* Addresses that have been given out, and what has been answered to them: browsers and caches hold these renditions. */

/** What an address was answered. */
export interface Answered {
	/** The form's half of the ETag: the other half is of the image. */
	readonly form: string;
	/** Format, size and number of frames. */
	readonly is: string;
	/** Of the bytes. */
	readonly sha256: string;
}

/** What is kept in the repository. */
export interface Kept {
	/** What the codecs made of one picture on the machine where the digests were taken. */
	readonly codecs: Readonly<Record<OutputFormat, string>>;
	readonly answers: Readonly<Record<string, Answered>>;
}

/** What stands in addresses for the id of the image that is tiled. */
const MARK = "img_mark";

/** Each of them is asked of each of the pictures, unless it is about another kind of picture. */
const PARAMETERS = [
	...["size=s", "size=social", "w=300", "h=90", "w=200&h=200&fit=cover", "w=200&h=120&fit=pad&background=teal"],
	...[
		"w=150&h=100&fit=squeeze&q=low",
		"w=160&format=webp",
		"w=160&format=avif",
		"w=120&format=gif",
		"w=160&format=png",
	],
	...["w=160&format=jpg&metadata=none", "w=200&brightness=1.2&contrast=1.3&gamma=0.8", "w=200&saturation=0&sharp=2"],
	...["w=200&blur=8", "w=150&rotate=90&flip=h", "metadata=keep&w=180", `w=200&tile=${MARK}`],
];
const OF_PHOTOGRAPHS = [
	...["w=180&h=180&fit=cover&gravity=face&zoom=0.6", "w=90&h=200&fit=crop&gravity=left", "w=180&segment=foreground"],
	...["w=180&fx=blur-bg", "w=180&fx=darken-bg&strength=0.3", "w=180&fx=color-pop", "w=200&trim=border"],
];

const PHOTOGRAPHS = ["portrait_astronaut.png", "portrait_four_faces.jpg"];
const OTHERS = ["alpha.png", "anim_42.gif", "jpeg_cmyk_noprofile.jpg", "jpeg_o6_landscape.jpg", "photo.avif"];

/** Pictures that need no corpus. */
const DRAWN: Readonly<Record<string, () => Sharp>> = {
	"drawn.png": () => drawn(300, 200, 4),
	"drawn.jpg": () =>
		drawn(640, 430, 3)
			.jpeg({ quality: 92 })
			.withExif({ IFD0: { Artist: "Ada", Make: "Camera" } }),
};

/** Every address, as `<name of the picture>?<query>`; without the corpus those of drawn pictures alone. */
export function addresses(withCorpus: boolean): readonly string[] {
	const drawnOnes = [...Object.keys(DRAWN), "drawn.gif"];
	const plain = [...drawnOnes, ...(withCorpus ? [...PHOTOGRAPHS, ...OTHERS] : [])];
	const photographs = [...(withCorpus ? PHOTOGRAPHS : []), "drawn.jpg"];
	return [...crossed(plain, PARAMETERS), ...crossed(photographs, OF_PHOTOGRAPHS)].toSorted();
}

function crossed(names: readonly string[], queries: readonly string[]): readonly string[] {
	return names.flatMap((name) => queries.map((query) => `${name}?${query}`));
}

/** Uploads what the addresses need, and says what each of them is answered. */
export async function answersOf(
	service: OpenService,
	asked: readonly string[],
): Promise<Readonly<Record<string, Answered>>> {
	const mark = await uploaded(service, await bytesOf(drawn(40, 24, 4)), "mark.png");
	const images = new Map<string, Image>();
	const answers: Record<string, Answered> = {};
	for (const address of asked) {
		const [name = "", query = ""] = address.split("?");
		const image = images.get(name) ?? (await served(service, await pictureOf(name), name));
		images.set(name, image);
		answers[address] = await answered(service, `${image.url}?${query.replace(MARK, mark.id)}`, query.includes(MARK));
	}
	return answers;
}

/**
 * An uploaded image that is there, and described, which comes after its smaller copies: renditions are made of those where they are.
 * Interface 4.2.0 looks at some formats only after its answer.
 */
async function served(service: OpenService, file: Uint8Array<ArrayBuffer>, name: string): Promise<Image> {
	const before = await described(service);
	const image = await uploaded(service, file, name);
	await service.runJobs();
	await until(async () => (await described(service)) > before);
	return image;
}

async function described({ database }: OpenService): Promise<number> {
	return await countOf(database, sql`SELECT count(*) FROM image_facts WHERE kind = 'colour'`);
}

async function answered(service: OpenService, url: string, tiled: boolean): Promise<Answered> {
	const response = await service.open(url);
	const bytes = new Uint8Array(await response.arrayBuffer());
	if (response.status !== 200) throw new Error(`${response.status} for ${url}`);
	const { width, height, pages = 1 } = await sharp(bytes).metadata();
	const type = response.headers.get("Content-Type")?.slice("image/".length);
	// The id of a tile is another in every service, and part of the form.
	const form = tiled ? "" : (response.headers.get("ETag")?.slice(17, -1) ?? "none");
	return { form, is: `${type} ${width}x${height} ${pages}`, sha256: shortDigest(bytes) };
}

/** What this machine's codecs make of one picture, scaled down, in each format: another release, or other instructions of a processor, give other bytes. */
export async function codecs(): Promise<Record<OutputFormat, string>> {
	const scaled = drawn(640, 430, 3).resize(200);
	const made = {
		jpg: scaled.clone().jpeg({ quality: 85 }),
		png: scaled.clone().png(),
		webp: scaled.clone().webp({ quality: 85, effort: 2 }),
		avif: scaled.clone().avif({ quality: 60, effort: 0, chromaSubsampling: "4:2:0" }),
		gif: scaled.clone().gif({ effort: 1 }),
	};
	const digests = await Promise.all(
		Object.entries(made).map(async ([format, image]) => [format, shortDigest(await image.toBuffer())] as const),
	);
	return Object.fromEntries(digests) as Record<OutputFormat, string>;
}

async function pictureOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
	if (name === "drawn.gif") return await bytesOf(animation());
	const draw = DRAWN[name];
	return draw ? await bytesOf(draw()) : await corpus(name);
}

async function bytesOf(image: Sharp): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await image.toBuffer());
}

/** Soft and hard edges, a frame, and where there is alpha a transparent corner. */
function drawn(width: number, height: number, channels: 3 | 4): Sharp {
	const pixels = new Uint8Array(width * height * channels);
	for (let y = 0; y < height; y++) {
		for (let x = 0; x < width; x++) {
			pixels.set(colourAt(x, y, width, height).slice(0, channels), (y * width + x) * channels);
		}
	}
	return sharp(pixels, { raw: { width, height, channels } }).png();
}

function colourAt(x: number, y: number, width: number, height: number): readonly number[] {
	const inFrame = Math.min(x, y, width - 1 - x, height - 1 - y) < 12;
	if (inFrame) return [230, 230, 230, 255];
	const inside = (x - width * 0.6) ** 2 + (y - height * 0.45) ** 2 < (height * 0.25) ** 2;
	if (inside) return [220, 120 + ((x * 3) & 63), 30, 255];
	return [(x * 2) & 255, (x + y) & 255, (y * 3) & 255, x + y > (width + height) * 0.75 ? 60 : 255];
}

function animation(): Sharp {
	const [width, height, count] = [120, 80, 4];
	const pixels = new Uint8Array(width * height * count * 3);
	for (let at = 0; at < width * height * count; at++) {
		const frame = Math.floor(at / (width * height));
		pixels.set([(frame * 60) & 255, ((at % width) * 2) & 224, 128], at * 3);
	}
	return sharp(pixels, { raw: { width, height: height * count, channels: 3, pageHeight: height } }).gif({
		delay: [100, 200, 100, 100],
		loop: 3,
	});
}

function shortDigest(bytes: Uint8Array): string {
	return createHash("sha256").update(bytes).digest("hex").slice(0, 24);
}
