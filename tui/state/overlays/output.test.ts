import { describe, expect, test } from "bun:test";
import { key, keys, play, queueOf, sampleItem } from "@svc/test/support/dashboard";
import { rowsOf } from "@svc/test/support/frame";
import { widthOf } from "../../text.ts";
import type { State } from "../model.ts";

const commands = [
	{ line: "svc audit log", summary: "See what was done", reads: true, needs: [] },
	{ line: "svc moderation get", summary: "Show an image", reads: true, needs: ["id"] },
	{ line: "svc images upload", summary: "Upload pictures", reads: false, needs: ["file"] },
];
const open = queueOf([sampleItem("img_1")], { commands, rows: 24 });
const found = (text: string) => play(open, ...keys(":", ...text, "enter"));
const frameOf = (state: State) => rowsOf(state).join("\n");

describe("the palette", () => {
	test("runs a command that reads, in a pane of its own, for the App in view [tui.output.run]", () => {
		const { state, effects } = found("auditlog");
		expect(effects).toEqual([
			{ type: "run", seq: state.seq, line: "svc audit log", app: open.app?.id, columns: 118, rows: 18 },
		]);
		expect(frameOf(state)).toContain("… under way");
		const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}.`);
		const ran = play(state, { type: "ran", seq: state.seq, lines }).state;
		expect(frameOf(ran)).toMatch(/ svc audit log ━+ 18\/40 ━┓/);
		expect(frameOf(ran)).toContain("esc back");
		expect(frameOf(play(ran, key("G")).state)).toContain("line 40.");
		expect(play(ran, key("escape")).state.overlay).toBeUndefined();
	});

	test("asks for the words that a command lacks, beginning with what is under the cursor [tui.output.words]", () => {
		const asked = found("moderationshow").state;
		expect(frameOf(asked)).toContain("svc moderation get <id>: img_1▏");
		expect(play(asked, key("enter")).effects).toMatchObject([{ type: "run", line: "svc moderation get img_1" }]);
	});

	test("copies what would change something, and ranks it below what reads [tui.output.copied]", () => {
		expect(found("imagesupload").effects).toEqual([{ type: "copy", text: "svc images upload" }]);
		const shown = frameOf(play(open, ...keys(":", ..."svc")).state);
		expect(shown.indexOf("svc images upload")).toBeGreaterThan(shown.indexOf("svc moderation get"));
	});
});

test("what a pane is not waited for by changes nothing, and what it says moves no cursor [tui.output.hostile]", () => {
	const { state } = found("auditlog");
	expect(play(state, { type: "ran", seq: state.seq - 1, lines: ["old"] }).state).toEqual(state);
	const hostile = play(state, { type: "ran", seq: state.seq, lines: [`\u001b[2J${"日本".repeat(99)}`] }).state;
	const rows = rowsOf(hostile);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them.
	expect(rows.join("")).not.toMatch(/\u001b\[2J/);
	expect(new Set(rows.map((row) => widthOf(row)))).toEqual(new Set([120]));
});
