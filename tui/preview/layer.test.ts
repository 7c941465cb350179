import { expect, test } from "bun:test";
import { show } from "./layer.ts";

test("chunks of 4,096 in one row; only the first one says what it is, only the last one that it is over [preview.kitty.chunks]", () => {
	const drawing = { kind: "png", png: new Uint8Array(4_096 * 3), columns: 1, rows: 1 } as const;
	const sent = show({ drawing, row: 0, column: 0 }, 7).split("\u001b_G").slice(1);
	expect(sent.map((one) => one.slice(one.indexOf(";") + 1, one.indexOf("\u001b")).length)).toEqual([
		4_096, 4_096, 4_096, 4_096,
	]);
	expect(sent.slice(1).map((one) => one.slice(0, one.indexOf(";")))).toEqual(["q=2,m=1", "q=2,m=1", "q=2,m=0"]);
});
