import { describe, expect, test } from "bun:test";
import { key, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { STYLES, styledRows } from "@svc/test/support/frame";
import { groundOf, THEME_NAMES, type ThemeName, wishedTheme } from "../state/theme.ts";
import { widthOf } from "../text.ts";

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
const COLOURS = /\u001b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9\d)[;m]/;

const blocked = { ...sampleItem("img_2").image, status: "blocked" };
const state = play(queueOf([sampleItem("img_1"), sampleItem("img_2", { image: blocked })]), key("j")).state;

const rows = (theme: ThemeName, of = state) => styledRows(of, theme);

describe("themes", () => {
	test("all of them say the same; none has no colour [tui.theme.words]", () => {
		const said = THEME_NAMES.map((theme) =>
			rows(theme).map((row) => row.replace(STYLES, "").replace(/[━┃┏┓┗┛─│╭╮╰╯]/g, "")),
		);
		expect(said[1]).toEqual(said[0] ?? []);
		expect(said[2]).toEqual(said[0] ?? []);
		expect(rows("none").join("")).not.toMatch(COLOURS);
	});

	test("the row under the cursor has one colour from edge to edge, whatever its parts have elsewhere [tui.theme.selected]", () => {
		for (const theme of ["dark", "light"] as const) {
			const row = rows(theme).find((one) => one.includes("⛒")) ?? "";
			const list = row.slice(0, row.indexOf("│", row.indexOf("⛒")));
			const styles = new Set(
				[...list.matchAll(STYLES)].map(([style]) => style).filter((style) => style.includes("48;5")),
			);
			expect([...styles]).toEqual([`\u001b[${theme === "dark" ? "48;5;24" : "48;5;153"}m`]);
			expect(list).not.toContain(`38;5;${theme === "dark" ? "203" : "160"}m`);
		}
	});

	test("the pane that has the keys stands out, with colours and without [tui.theme.focus]", () => {
		const inDetail = play(state, key("tab")).state;
		for (const theme of THEME_NAMES) expect(rows(theme)[2]).not.toEqual(rows(theme, inDetail)[2] ?? "");
		expect(rows("none")[2]).toStartWith("┏");
		expect(rows("none", inDetail)[2]).toContain("┏");
	});

	test("the one that is asked for goes first, then NO_COLOR, then the one that was kept; else the ground decides [tui.theme.chosen]", () => {
		expect(wishedTheme({ NO_COLOR: "1" }, "light", "dark")).toBe("light");
		expect(wishedTheme({ NO_COLOR: "1" }, undefined, "dark")).toBe("none");
		expect(wishedTheme({ TERM: "dumb" }, undefined, "dark")).toBe("none");
		expect(wishedTheme({ NO_COLOR: "" }, undefined, "light")).toBe("light");
		expect(wishedTheme({}, undefined, undefined)).toBeUndefined();
		expect(["0;15", "0;7", "15;default;0", undefined].map((COLORFGBG) => groundOf({ COLORFGBG }))).toEqual([
			"light",
			"light",
			"dark",
			"dark",
		]);
	});
});

describe("the frame of a list", () => {
	const many = queueOf(
		Array.from({ length: 30 }, (_, index) => sampleItem(`img_${index}`)),
		{ rows: 24 },
	);
	const title = (of: typeof many) => (rows("dark", of)[2] ?? "").replace(STYLES, "");

	test("says what it lists, where the cursor is, of how many, and what is marked [tui.view.place]", () => {
		expect(title(play(many, ...keys("j", "j")).state)).toMatch(/^╭─ Moderation · reported ─+ 3\/30 ─╮/);
		expect(title(play(many, ...keys(" ", " ")).state)).toMatch(/ 2 marked · 3\/30 ─╮/);
		expect(title(play(many, ...keys("/", "9", "enter")).state)).toMatch(/ 1\/3 of 30 ─╮/);
		expect(title(queueOf([]))).toMatch(/ 0 ─╮/);
	});

	test("and alone on a narrow screen, which of them the detail shows [tui.view.place]", () => {
		const narrow = play({ ...many, columns: 80 }, ...keys("j", "enter")).state;
		expect(title(narrow)).toMatch(/^╭─ Moderation · reported › Image ─+ 2\/30( · line \d+\/\d+)? ─╮$/);
	});

	test("is closed in every size [tui.view.frames]", () => {
		for (const columns of [60, 80, 120, 200]) {
			const frame = rows("dark", { ...many, columns }).map((row) => row.replace(STYLES, ""));
			expect([columns, ...new Set(frame.map(widthOf))]).toEqual([columns, columns]);
			expect(frame[2]).toEndWith("╮");
			expect(frame.at(-3)).toMatch(/^╰.*╯$/);
			for (const row of frame.slice(3, -3)) expect(row).toMatch(/^│.*│$/);
		}
	});
});
