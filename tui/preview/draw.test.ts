import { describe, expect, test } from "bun:test";
import { boxWithin, cellsOf, pixelsOf, previewTransform } from "./box.ts";
import { asciiLines, coloursOf, drawLines, halfBlocks, nearest256 } from "./draw.ts";
import { cover, type Picture, scaleDown } from "./picture.ts";

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const NONE = [9, 9, 9, 0];

function picture(...rows: readonly (readonly (readonly number[])[])[]): Picture {
	return { width: rows[0]?.length ?? 0, height: rows.length, rgba: Uint8Array.from(rows.flat(2)) };
}

describe("halfBlocks", () => {
	test("two pixels share a cell, equal cells share a style, and each line ends with the terminal's own [preview.half-blocks]", () => {
		const lines = halfBlocks(picture([RED, RED, BLUE], [BLUE, BLUE, RED]), "truecolor");
		expect(lines).toEqual(["\u001b[38;2;255;0;0;48;2;0;0;255m▀▀\u001b[38;2;0;0;255;48;2;255;0;0m▀\u001b[0m"]);
	});

	test("transparent halves and a missing last row show the terminal's background [preview.half-blocks]", () => {
		expect(halfBlocks(picture([NONE, RED], [RED, NONE], [NONE, NONE]), "256")).toEqual([
			"\u001b[0;38;5;196m▄▀\u001b[0m",
			"  ",
		]);
		expect(halfBlocks(picture([RED]), "256")).toEqual(["\u001b[0;38;5;196m▀\u001b[0m"]);
	});

	test("without colours brightness becomes characters, and nothing that a terminal obeys [preview.ascii]", () => {
		const white = [255, 255, 255, 255];
		expect(asciiLines(picture([white, white, NONE], [white, [0, 0, 0, 255], NONE]))).toEqual(["@="]);
		expect(drawLines(picture([white]), "none")).toEqual(["@"]);
	});
});

describe("colours", () => {
	test("come from what the terminal says of itself [preview.colours]", () => {
		expect(coloursOf({ TERM: "xterm-256color", COLORTERM: "truecolor" }, true)).toBe("truecolor");
		expect(coloursOf({ TERM: "xterm-kitty" }, true)).toBe("truecolor");
		expect(coloursOf({ TERM: "xterm-256color" }, true)).toBe("256");
		expect(coloursOf({ TERM_PROGRAM: "Apple_Terminal", COLORTERM: "truecolor" }, true)).toBe("256");
		for (const env of [{ NO_COLOR: "1", COLORTERM: "truecolor" }, { TERM: "dumb" }, {}]) {
			expect(coloursOf(env, true)).toBe("none");
		}
		expect(coloursOf({ COLORTERM: "truecolor" }, false)).toBe("none");
	});

	test("each of the 256 is its own nearest one, greys and cube alike [preview.colours]", () => {
		expect([nearest256(255, 0, 0), nearest256(0, 0, 0), nearest256(255, 255, 255)]).toEqual([196, 16, 231]);
		expect([nearest256(128, 128, 128), nearest256(95, 135, 175), nearest256(8, 8, 8)]).toEqual([244, 67, 232]);
	});
});

describe("scaleDown", () => {
	test("fits the box, keeps proportions, takes the mean, never enlarges [preview.scale]", () => {
		const four = picture([RED, BLUE, RED, BLUE], [RED, BLUE, RED, BLUE]);
		const half = scaleDown(four, 2, 9);
		expect([half.width, half.height, [...half.rgba.subarray(0, 4)]]).toEqual([2, 1, [128, 0, 128, 255]]);
		expect(scaleDown(four, 80, 80)).toBe(four);
		const line = scaleDown({ width: 100, height: 1, rgba: new Uint8Array(400) }, 10, 10);
		expect([line.width, line.height]).toEqual([10, 1]);
		expect([...scaleDown(picture([RED, NONE]), 1, 1).rgba]).toEqual([255, 0, 0, 128]);
	});

	test("a covered picture is as large and has at most six blocks a side [preview.cover]", () => {
		const width = 60;
		const rgba = Uint8Array.from({ length: width * width * 4 }, (_, at) => (at % 4 === 3 ? 255 : (at * 7) % 251));
		const covered = cover({ width, height: width, rgba });
		expect([covered.width, covered.height]).toEqual([width, width]);
		const colours = new Set(
			Array.from({ length: width * width }, (_, at) => covered.rgba.subarray(at * 4, at * 4 + 4).join()),
		);
		expect(colours.size).toBeLessThanOrEqual(36);
	});
});

test("at most 80 by 40 cells, at least one, and two pixels to a cell [preview.box]", () => {
	expect(boxWithin({ columns: 200, rows: 100 })).toEqual({ columns: 80, rows: 40 });
	expect(boxWithin({ columns: 0, rows: -1 })).toEqual({ columns: 1, rows: 1 });
	expect(previewTransform({ columns: 40, rows: 10 })).toEqual({ w: 40, h: 20, fit: "scale-down", format: "png" });
});

test("a room of many pixels is asked for in fewer, and filled all the same; what is smaller stays as small as it is [preview.box.pixels]", () => {
	const cell = { width: 10, height: 20 };
	const room = { columns: 120, rows: 40 };
	const asked = pixelsOf(room, cell);
	expect(asked.width * asked.height).toBeLessThanOrEqual(300_000);
	expect(asked.width / asked.height).toBeCloseTo(1_200 / 800, 1);
	expect(cellsOf(asked, cell, room)).toEqual(room);
	expect(cellsOf({ width: asked.width, height: 40 }, cell, room)).toEqual({ columns: 120, rows: 4 });
	expect(cellsOf({ width: 40, height: 30 }, cell, room)).toEqual({ columns: 4, rows: 2 });
	expect(cellsOf({ width: 1, height: 1 }, cell, room)).toEqual({ columns: 1, rows: 1 });
	expect(cellsOf({ width: 9_000, height: 9_000 }, cell, room)).toEqual(room);
});
