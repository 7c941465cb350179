import { expect, test } from "bun:test";
import { MEASURED } from "../bench/measured-rows.ts";

test("each row of the page of measures is one that a bench makes, beside what and under the conditions that it was made, and none is missing", async () => {
	const page = await Bun.file(new URL("../../docs/operate/measured.md", import.meta.url)).text();
	const [, , ...lines] = page.split("\n").filter((line) => line.startsWith("|"));
	const rows = lines.map((line) => line.slice(2, -2).split(" | "));
	expect(rows.map(([what, beside, , conditions]) => [what, beside, conditions])).toEqual(
		MEASURED.map(({ what, beside, conditions }) => [what, beside, conditions]),
	);
	for (const [place, { figures }] of MEASURED.entries())
		expect(rows[place]?.[2]?.split("<br>")).toHaveLength(figures.length);
});
