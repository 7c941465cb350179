import { expect, test } from "bun:test";
import { noun } from "./noun.ts";

const NOW_MS = Date.parse("2026-01-03T00:00:00.000Z");

interface Jar {
	readonly id: string;
	readonly bytes: number;
	readonly open: boolean;
	readonly note: string | null;
	readonly made_at: string;
}

const JAR = noun<Jar>()({
	fields: {
		id: {},
		bytes: { kind: "bytes", title: "Size", width: 8 },
		open: { kind: "switch" },
		note: { title: "Note", more: true, width: 20 },
		made_at: { kind: "time", label: "made" },
		lid: { value: ({ open }) => (open ? undefined : "shut"), line: ({ open }) => (open ? undefined : "shut") },
	},
	list: ["id", "bytes"],
	detail: ["open", "made_at"],
	dashboard: { title: "Jar", empty: "No jar.", columns: ["note", "bytes"], lines: ["id", "note", "made_at", "lid"] },
});
const jar: Jar = { id: "jar_1", bytes: 2_500, open: true, note: null, made_at: "2026-01-01T00:00:00.000Z" };

test("programs get what a field is, people what its kind says of it, each in their own order [nouns.fields]", () => {
	expect(JAR.detail.map(({ name, value }) => [name, value(jar)])).toEqual([
		["id", "jar_1"],
		["bytes", 2_500],
		["open", "on"],
		["made_at", jar.made_at],
	]);
	expect(JAR.columnsOf("made_at", "id").map(({ name }) => name)).toEqual(["made_at", "id"]);
	expect(JAR.shown.cells(jar, NOW_MS).map(({ text }) => text)).toEqual(["—", "2.5 kB"]);
	expect(JAR.shown.sections(jar, NOW_MS)[0]?.rows).toEqual([
		["id", "jar_1"],
		["note", "—"],
		["made", "2d ago"],
	]);
});

test("a field that its noun does not have says what it is, or does not compile [nouns.value]", () => {
	const fields = { id: {}, lid: {} };
	const dashboard = { title: "", empty: "", columns: [], lines: [] };
	// @ts-expect-error A jar has no lid.
	expect(noun<Jar>()({ fields, list: ["lid"], detail: [], dashboard }).list[0]?.value(jar)).toBeUndefined();
});
