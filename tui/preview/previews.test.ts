import { describe, expect, test } from "bun:test";
import { deflateSync } from "node:zlib";
import { createManagement } from "@svc/sdk/management";
import { play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { wantedPreview } from "../state/preview.ts";
import { previewFor } from "./previews.ts";

/** A PNG of as many colours as pixels; checksums are the transport's affair. */
function colourful(side: number): Uint8Array<ArrayBuffer> {
	const chunk = (name: string, body: Uint8Array) => {
		const length = Buffer.alloc(4);
		length.writeUInt32BE(body.length);
		return Buffer.concat([length, Buffer.from(name), body, Buffer.alloc(4)]);
	};
	const header = Buffer.alloc(13);
	header.writeUInt32BE(side, 0);
	header.writeUInt32BE(side, 4);
	header.set([8, 2], 8);
	const line = (y: number) => [0, ...Array.from({ length: side }, (_, x) => [x * 9, y * 9, (x * y) % 256]).flat()];
	const pixels = deflateSync(Uint8Array.from(Array.from({ length: side }, (_, y) => line(y)).flat()));
	const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
	return new Uint8Array(
		Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", new Uint8Array())]),
	);
}

const open = queueOf([sampleItem("img_1")]);
const flagged = queueOf([sampleItem("img_1", { image: { ...sampleItem("img_1").image, nsfw: true } })]);

async function previewIn(
	state: typeof open,
	fetch: (url: string) => Promise<Response>,
	signal = new AbortController().signal,
) {
	const wanted = wantedPreview(state);
	if (wanted === undefined) throw new Error("No picture is wanted.");
	const asked = async (input: unknown) => fetch(String(input));
	const management = createManagement({
		baseUrl: "http://api.test",
		apiKey: "svc_ses_x",
		fetch: asked,
		retries: 0,
	});
	return (await previewFor(wanted, { management, fetch: asked, colours: "truecolor", signal })).drawing;
}

const picture = async () => new Response(colourful(24));

function coloursIn(lines: readonly string[]): number {
	return new Set(
		lines
			.join("")
			.match(/[34]8;2;\d+;\d+;\d+/g)
			?.map((style) => style.slice(1)),
	).size;
}

describe("a preview", () => {
	test("of what is flagged has at most six blocks a side, however many colours the picture has [tui.preview.cover]", async () => {
		const shown = await previewIn(open, picture);
		const covered = await previewIn(flagged, picture);
		if (shown.kind !== "cells" || covered.kind !== "cells") throw new Error("Both are drawn in characters.");
		expect(coloursIn(shown.lines)).toBeGreaterThan(500);
		expect(coloursIn(covered.lines)).toBeLessThanOrEqual(36);
		expect([covered.columns, covered.rows]).toEqual([shown.columns, shown.rows]);
	});

	test("goes to a terminal that can show it as it is, but never while it is covered [tui.preview.png]", async () => {
		const able = play(open, { type: "graphics" }, { type: "cell-size", width: 8, height: 12 }).state;
		expect(await previewIn(able, picture)).toEqual({ kind: "png", png: colourful(24), columns: 3, rows: 2 });
		expect(await previewIn(play(flagged, { type: "graphics" }).state, picture)).toMatchObject({ kind: "cells" });
	});

	test("is asked for in the pixels that are shown, of the transform host [tui.preview.asked]", async () => {
		let url = "";
		await previewIn(open, (asked) => {
			url = asked;
			return picture();
		});
		expect(url).toBe("http://cdn.test/t/img_1.png?format=png&w=51&h=24&fit=scale-down");
	});

	test("that cannot be had says why, and what to press [tui.preview.words]", async () => {
		expect(await previewIn(open, async () => new Response("<html>"))).toEqual({
			kind: "words",
			words: "[no preview. It is no PNG. r tries again]",
		});
		const error = { type: "api_error", code: "not_found", message: "There is none." };
		expect(await previewIn(open, async () => Response.json({ error }, { status: 404 }))).toEqual({
			kind: "words",
			words: "[no preview. There is none. r tries again]",
		});
	});

	test("that is not wanted any more is not told of [tui.preview.stale]", async () => {
		const stopped = new AbortController();
		stopped.abort();
		await expect(previewIn(open, () => Promise.reject(new Error("gone")), stopped.signal)).rejects.toThrow();
	});
});
