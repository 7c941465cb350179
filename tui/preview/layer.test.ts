import { expect, test } from "bun:test";
import { createLayer, type Placed, remove, transmit } from "./layer.ts";

const png = new Uint8Array([1, 2, 3]);
const ofPixels: Placed = { drawing: { kind: "png", png, columns: 3, rows: 2 }, row: 2, column: 4 };
const ofCells: Placed = { drawing: { kind: "cells", lines: ["ab", "cd"], columns: 2, rows: 2 }, row: 0, column: 9 };
const around = (text: string) => `\u001b7${text}\u001b8`;

test("a picture of the terminal's own is sent once, and stays under every frame until it goes [preview.layer.pixels]", () => {
	const layer = createLayer(7);
	expect(layer.show(ofPixels, true)).toBe(
		around("\u001b[3;5H\u001b_Ga=T,f=100,t=d,i=7,p=1,c=3,r=2,C=1,z=-1,q=2,m=0;AQID\u001b\\"),
	);
	expect([layer.show(ofPixels, true), layer.show(ofPixels, false)]).toEqual(["", ""]);
	expect(layer.show({ ...ofPixels, row: 5 }, true)).toStartWith(around(`${remove(7)}\u001b[6;5H`).slice(0, -2));
	expect(layer.show(undefined, false)).toBe(around("\u001b_Ga=d,d=I,i=7,q=2\u001b\\"));
	expect([layer.show(undefined, true), layer.clear()]).toEqual(["", ""]);
});

test("a picture of characters is drawn again over each frame, and wiped off where no frame does that [preview.layer.cells]", () => {
	const layer = createLayer(7);
	const drawn = around("\u001b[1;10Hab\u001b[2;10Hcd");
	expect([layer.show(ofCells, true), layer.show(ofCells, false), layer.show(ofCells, true)]).toEqual([
		drawn,
		"",
		drawn,
	]);
	expect(layer.show(undefined, false)).toBe(around("\u001b[1;10H  \u001b[2;10H  "));
	layer.show(ofCells, true);
	expect([layer.show(undefined, true), layer.clear()]).toEqual(["", ""]);
});

test("a cleared screen gets everything again [preview.layer.clear]", () => {
	const layer = createLayer(7);
	const first = layer.show(ofPixels, true);
	expect([layer.clear(), layer.show(ofPixels, false)]).toEqual([remove(7), first]);
});

test("chunks of 4,096 in one row; only the first one says what it is, only the last one that it is over [preview.kitty.chunks]", () => {
	const sent = transmit({ kind: "png", png: new Uint8Array(4_096 * 3), columns: 1, rows: 1 }, 7).split("\u001b\\");
	expect(sent.map((one) => one.slice(one.indexOf(";") + 1).length)).toEqual([4_096, 4_096, 4_096, 4_096, 0]);
	expect(sent.slice(1, -1).map((one) => one.slice(3, one.indexOf(";")))).toEqual(["q=2,m=1", "q=2,m=1", "q=2,m=0"]);
});
