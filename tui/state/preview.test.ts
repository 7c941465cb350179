import { describe, expect, test } from "bun:test";
import { key, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import type { Drawing } from "../preview/layer.ts";
import type { State } from "./model.ts";
import { placedPicture, previewOf, wantedPreview } from "./preview.ts";

const shown = { ...sampleItem("img_1").image, nsfw: true };
const plain = queueOf([sampleItem("img_1"), sampleItem("img_2")]);
const flagged = queueOf([sampleItem("img_1", { image: shown })]);
const graphics = (state: State) => play(state, { type: "graphics" }).state;
const drawing: Drawing = { kind: "cells", lines: ["▀▀", "▀▀"], columns: 2, rows: 2 };

function withPicture(state: State): State {
	const key = wantedPreview(state)?.key ?? "";
	return play(state, { type: "preview", key, drawing }).state;
}

describe("which picture is wanted", () => {
	test("in the terminal's own pixels once it says that it can [tui.preview.graphics]", () => {
		expect(wantedPreview(plain)?.cell).toBeUndefined();
		const able = play(graphics(plain), { type: "cell-size", width: 9, height: 18 }).state;
		expect(wantedPreview(able)?.cell).toEqual({ width: 9, height: 18 });
		expect(wantedPreview(able)?.key).not.toBe(wantedPreview(plain)?.key);
	});

	test("never in its pixels while it is covered; v uncovers that one only [tui.preview.covered]", () => {
		expect(wantedPreview(graphics(flagged))).toMatchObject({ isCovered: true, cell: undefined });
		const revealed = play(graphics(flagged), key("v")).state;
		expect(wantedPreview(revealed)).toMatchObject({ isCovered: false, cell: { width: 10, height: 20 } });
		expect(wantedPreview(play(revealed, key("v")).state)?.isCovered).toBe(true);
	});

	test("none where no pictures are drawn, nor beside a list that fills the screen [tui.preview.none]", () => {
		expect(wantedPreview({ ...plain, pictures: "none" })).toBeUndefined();
		expect(play({ ...plain, pictures: "none" }, { type: "graphics" }).state.pictures).toBe("none");
		expect(wantedPreview({ ...plain, columns: 80 })).toBeUndefined();
	});
});

describe("where it stands", () => {
	test("at the top of the detail, and in the middle of the screen where it is alone [tui.preview.place]", () => {
		// 120 × 30: the detail begins after 67 cells of list and an edge.
		expect(placedPicture(withPicture(plain))).toMatchObject({ row: 3, column: 68 });
		expect(placedPicture(withPicture(play(plain, key("f")).state))).toMatchObject({ row: 14, column: 59 });
	});

	test("not under a list of keys, not when another image is chosen, not on another screen [tui.preview.gone]", () => {
		const state = withPicture(plain);
		expect(placedPicture(play(state, ...keys("?")).state)).toBeUndefined();
		expect(placedPicture(play(state, ...keys("j")).state)).toBeUndefined();
		expect(placedPicture(play(state, ...keys("2")).state)).toBeUndefined();
		expect(placedPicture(play(state, ...keys("?", "escape")).state)?.drawing).toBe(drawing);
	});

	test("a picture that could not be had is asked for again by r [tui.preview.retry]", () => {
		const key = wantedPreview(plain)?.key ?? "";
		const failed = play(plain, { type: "preview", key, drawing: { kind: "words", words: "[no preview.]" } }).state;
		expect(previewOf(failed)?.drawing).toEqual({ kind: "words", words: "[no preview.]" });
		expect(play(failed, ...keys("r")).state.preview).toBeUndefined();
		expect(play(withPicture(plain), ...keys("r")).state.preview?.drawing).toBe(drawing);
	});
});

test("a picture is drawn by no layer while a form is open, in characters or by the terminal itself [tui.preview.form]", () => {
	const image = { ...sampleItem("img_1").image };
	for (const pictures of ["cells", "graphics"] as const) {
		const seen = queueOf([image], { screen: "images", pictures, columns: 200, rows: 50 });
		const drawing =
			pictures === "cells"
				? ({ kind: "cells", lines: ["▀"], columns: 1, rows: 1 } as const)
				: ({ kind: "png", png: new Uint8Array([1]), columns: 1, rows: 1 } as const);
		const shown = play(seen, { type: "preview", key: wantedPreview(seen)?.key ?? "", drawing }).state;
		expect(placedPicture(shown)?.drawing).toBe(drawing);
		const form = play(shown, key("e")).state;
		expect(form.overlay?.kind).toBe("form");
		expect(placedPicture(form)).toBeUndefined();
	}
});
