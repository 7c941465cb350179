import { describe, expect, test } from "bun:test";
import { corpus, corpusNote, withoutCorpus } from "@svc/test/support/corpus";
import { bytesOf, painted, rendered } from "@svc/test/support/rendering";
import { sharp } from "../../sharp-settings.ts";
import { readFrames } from "../frames.ts";
import { likeness, lumaOf } from "./likeness.ts";

async function alike(one: Uint8Array, other: Uint8Array): Promise<number> {
	const [a, b] = [await readFrames(sharp(one), 1, 10), await readFrames(sharp(other), 1, 10)];
	return likeness(await lumaOf(a), await lumaOf(b), a.width, a.height);
}

const LEVELS = { high: 90, "medium-high": 75, "medium-low": 60, low: 45 };

describe("a JPEG", () => {
	test("comes in one scan, however large it is", async () => {
		const large = sharp({ create: { width: 1_200, height: 900, channels: 3, background: "teal" } }).png();
		const { bytes } = await rendered(await bytesOf(large), "format=jpg");
		expect((await sharp(bytes).metadata()).isProgressive).toBe(false);
	});

	test.skipIf(withoutCorpus)(
		`of a level looks as with the tables of the standard, and takes fewer bytes${corpusNote} [cdn.q.named]`,
		async () => {
			let [bytes, before] = [0, 0];
			for (const name of ["portrait_child.jpg", "portrait_astronaut.png", "crowd_painted_faces.jpg"]) {
				const master = await corpus(name);
				const exact = await bytesOf(sharp(master).resize(400).png());
				const options = { progressive: false, optimiseCoding: false };
				for (const [level, quality] of Object.entries(LEVELS)) {
					const { bytes: now } = await rendered(exact, `format=jpg&q=${level}`);
					const standard = await bytesOf(sharp(exact).jpeg({ quality, ...options }));
					// The tables give up what this measure counts and people do not see.
					const less = (await alike(exact, standard)) - (await alike(exact, now));
					expect([name, level, less < 0.02 && less > -0.01]).toEqual([name, level, true]);
					bytes += now.length;
					before += standard.length;
				}
			}
			expect(bytes / before).toBeLessThan(0.97);
		},
	);
});

describe("a PNG", () => {
	/** What the same pixels take as a PNG without filters. */
	const unfiltered = async (png: Uint8Array) => (await bytesOf(sharp(png).png({ compressionLevel: 6 }))).length;
	const pixels = (file: Uint8Array) => sharp(file).ensureAlpha().raw().toBuffer();

	test.skipIf(withoutCorpus)(
		`of a photograph is at least a quarter smaller than without filters${corpusNote}`,
		async () => {
			for (const name of ["portrait_four_faces.jpg", "portrait_astronaut.png"]) {
				const master = await corpus(name);
				const { bytes } = await rendered(master, "w=250&format=png");
				expect([name, bytes.length / (await unfiltered(bytes)) < 0.75]).toEqual([name, true]);
			}
		},
	);

	test("of a drawing is no larger than without, and has the very pixels", async () => {
		const stripes = await painted(400, 300, (x, y) => ((x >> 4) % 3 === 0 ? [220, 40, 60] : [240, 240, (y >> 5) * 20]));
		const dots = await painted(400, 300, (x, y) => [((x * 7_919) ^ (y * 104_729)) & 16 ? 250 : 20, 60, 90, 255]);
		const disc = await painted(400, 300, (x, y) =>
			(x - 200) ** 2 + (y - 150) ** 2 < 10_000 ? [0, 90, 200, 255] : [0, 0, 0, 0],
		);
		for (const drawing of [stripes, dots, disc]) {
			const { bytes } = await rendered(drawing, "w=250");
			expect(bytes.length).toBeLessThanOrEqual(await unfiltered(bytes));
			const exact = (await rendered(drawing, "w=250&format=webp&lossless=true")).bytes;
			expect(Buffer.compare(await pixels(bytes), await pixels(exact))).toBe(0);
		}
	});
});

test("what is asked for often is made smaller only where nothing of it is transparent: the alpha of a WebP would take seconds", async () => {
	const master = await painted(300, 200, (x, y) => [x % 256, (x * y) % 256, y % 256]);
	for (const [query, isSmaller] of [
		["w=300&format=webp", true],
		["w=300&format=webp&radius=max", false],
	] as const) {
		const plain = (await rendered(master, query)).bytes;
		const compact = (await rendered(master, query, "png", { isCompact: true })).bytes;
		expect([query, Buffer.compare(plain, compact) !== 0]).toEqual([query, isSmaller]);
	}
});
