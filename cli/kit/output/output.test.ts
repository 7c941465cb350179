import { describe, expect, test } from "bun:test";
import { fakeWorld } from "@svc/test/support/fake-world";
import { cut, widthOf } from "@svc/tui/text";
import { createOutput, type OutputOptions } from "./output.ts";
import { type Column, fields } from "./table.ts";

interface Pet {
	readonly id: string;
	readonly name: string;
	readonly born: { readonly year: number } | null;
	readonly labels?: Readonly<Record<string, string>>;
}

const COLUMNS: readonly Column<Pet>[] = [
	{ name: "id", value: (pet) => pet.id },
	{ name: "full_name", value: (pet) => pet.name, shrinks: true },
	{ name: "year", value: (pet) => pet.born?.year },
	{ name: "note", value: () => "n", hidden: true },
];

const PETS: readonly Pet[] = [
	{ id: "1", name: "Tom", born: { year: 2020 }, labels: { "a.b": "x" } },
	{ id: "2", name: "猫", born: null },
];

const PLAIN: OutputOptions = { format: undefined, field: undefined, quiet: false };

async function rows(options: Partial<OutputOptions>, world = fakeWorld(), pets = PETS): Promise<string> {
	await createOutput(world, { ...PLAIN, ...options }).rows(COLUMNS, pets);
	return world.outText();
}

async function record(options: Partial<OutputOptions>, world = fakeWorld()): Promise<string> {
	await createOutput(world, { ...PLAIN, ...options }).record(COLUMNS, PETS[0] ?? { id: "", name: "", born: null });
	return world.outText();
}

describe("formats", () => {
	test("a pipe gets TSV without headers, hidden columns included [out.tsv]", async () => {
		expect(await rows({})).toBe("1\tTom\t2020\tn\n2\t猫\t\tn\n");
		expect(await record({})).toBe("1\tTom\t2020\tn\n");
	});

	test("a terminal gets an aligned table, wide characters counted as two [out.table]", async () => {
		const world = fakeWorld({ isTerminal: true, env: { NO_COLOR: "1" } });
		expect(await rows({}, world)).toBe("ID  FULL NAME  YEAR\n1   Tom        2020\n2   猫\n");
	});

	test("one thing is lines of name and value on a terminal [out.record]", async () => {
		const world = fakeWorld({ isTerminal: true });
		expect(await record({}, world)).toBe("id         1\nfull name  Tom\nyear       2020\nnote       n\n");
	});

	test("JSON is an array for many and an object for one; JSON Lines has one on each line [out.json]", async () => {
		expect(JSON.parse(await rows({ format: "json" }))).toEqual(PETS);
		expect(JSON.parse(await record({ format: "json" }))).toEqual(PETS[0]);
		expect(
			(await rows({ format: "jsonl" }))
				.trimEnd()
				.split("\n")
				.map((line) => JSON.parse(line)),
		).toEqual([...PETS]);
		expect(await rows({ format: "json" }, fakeWorld(), [])).toBe("[]\n");
	});

	test("JSON is indented as one document would be [out.json]", async () => {
		expect(await rows({ format: "json" })).toBe(`${JSON.stringify(PETS, null, 2)}\n`);
		expect(await rows({ format: "json", field: "born" })).toBe(
			`${JSON.stringify(
				PETS.map(({ born }) => born),
				null,
				2,
			)}\n`,
		);
	});

	test.each(["json", "jsonl", "tsv"] as const)(
		"a long list is written as it comes, at most one thing behind: %s [out.stream]",
		async (format) => {
			const world = fakeWorld();
			const behind: boolean[] = [];
			async function* source() {
				for (let count = 1; count <= 50; count++) {
					yield { id: `pet_${count}.`, name: "Tom", born: null };
					if (count > 1) behind.push(!world.outText().includes(`pet_${count - 1}.`));
				}
			}
			await createOutput(world, { ...PLAIN, format }).rows(COLUMNS, source());
			expect(behind).toEqual(Array.from({ length: 49 }, () => false));
			expect(world.outText()).toContain("pet_50.");
		},
	);

	test("nothing is nothing [out.empty]", async () => {
		expect(await rows({}, fakeWorld({ isTerminal: true }), [])).toBe("");
		expect(await rows({}, fakeWorld(), [])).toBe("");
	});

	test("quiet prints ids only and keeps notes to itself; a format that was asked for stays [out.quiet]", async () => {
		const world = fakeWorld();
		expect(await rows({ quiet: true }, world)).toBe("1\n2\n");
		await createOutput(world, { ...PLAIN, quiet: true }).note("hello");
		expect(world.errText()).toBe("");
		expect(JSON.parse(await rows({ quiet: true, format: "json" }))).toEqual(PETS);
	});

	test("colour only on a terminal, and NO_COLOR is honoured [out.color]", async () => {
		expect(await rows({}, fakeWorld({ isTerminal: true, env: {} }))).toContain("\u001b[1m");
		expect(await rows({}, fakeWorld({ isTerminal: true, env: { NO_COLOR: "yes" } }))).not.toContain("\u001b");
		expect(await rows({ format: "table" }, fakeWorld({ env: {} }))).not.toContain("\u001b");
	});
});

describe("fields", () => {
	test("one value on each line; a missing deeper part is an empty line [out.field]", async () => {
		expect(await rows({ field: "name" })).toBe("Tom\n猫\n");
		expect(await rows({ field: "born.year" })).toBe("2020\n\n");
		expect(JSON.parse(await rows({ field: "born", format: "json" }))).toEqual([{ year: 2020 }, null]);
	});

	test("names that hold dots are found, and nothing of the prototype is [out.field-dots]", async () => {
		expect(await record({ field: "labels.a.b" })).toBe("x\n");
		expect(record({ field: "toString" })).rejects.toThrow('There is no field "toString".');
		expect(await record({ field: "labels.constructor" })).toBe("\n");
	});
});

describe("hostile text", () => {
	const hostile: readonly Pet[] = [{ id: "1", name: "a\u001b[2J\u009b2J\tb\r\nc\u202ed", born: null }];

	test("what drives or reorders a terminal is taken out of tables, TSV and fields [out.controls]", async () => {
		expect(await rows({}, fakeWorld(), hostile)).toBe("1\ta[2J2J b cd\t\tn\n");
		const terminal = () => fakeWorld({ isTerminal: true, env: { NO_COLOR: "1" } });
		expect(await rows({}, terminal(), hostile)).toBe(
			"ID  FULL NAME     YEAR\n1   a[2J2J b cd\n".replace("     YEAR", "    YEAR"),
		);
		expect(await rows({ field: "name" }, terminal(), hostile)).toBe("a[2J2J b cd\n");
	});

	test("JSON keeps the exact value and escapes every control [out.controls-json]", async () => {
		const text = await rows({ format: "json" }, fakeWorld(), hostile);
		expect(JSON.parse(text)).toEqual(hostile);
		expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
	});
});

describe("widths", () => {
	test("cells: combining marks none, East Asian and pictures two, joined pictures two [out.width]", () => {
		const texts = ["abc", "e\u0301", "漢字", "🙂", "👨‍👩‍👧", "ｱ", "Ａ", "", "ä", "❤️"];
		expect(texts.map(widthOf)).toEqual([3, 1, 4, 2, 2, 1, 2, 0, 1, 2]);
	});

	test("nothing is cut in half [out.truncate]", () => {
		expect(cut("漢字漢字", 5)).toBe("漢字…");
		expect(cut("漢字漢字", 4)).toBe("漢…");
		expect(cut("abcdef", 6)).toBe("abcdef");
		expect(cut("abcdefg", 6)).toBe("abcde…");
	});

	const LONG: readonly Pet[] = [{ id: "12345", name: "x".repeat(40), born: { year: 2020 } }];
	const terminal = (columns: number) => fakeWorld({ isTerminal: true, columns, env: { NO_COLOR: "1" } });

	test("a narrow terminal shortens the columns that may shrink, to 16 cells at first [out.narrow]", async () => {
		expect(await rows({}, terminal(29), LONG)).toBe(`ID     FULL NAME         YEAR\n12345  ${"x".repeat(15)}…  2020\n`);
	});

	test("a narrower one loses the columns of the least worth, and never the first [out.narrow]", async () => {
		expect(await rows({}, terminal(28), LONG)).toBe(`ID     FULL NAME\n12345  ${"x".repeat(20)}…\n`);
		expect(await rows({}, terminal(18), LONG)).toBe(`ID     FULL NAME\n12345  ${"x".repeat(10)}…\n`);
		const worthy = COLUMNS.map((column) => (column.name === "year" ? { ...column, worth: 1 } : column));
		const world = terminal(28);
		await createOutput(world, PLAIN).rows(worthy, LONG);
		expect(world.outText()).toBe("ID     YEAR\n12345  2020\n");
	});

	test("--wide shows every column in full, those of pipes too, however narrow it is [out.wide]", async () => {
		expect(await rows({ wide: true }, terminal(20), LONG)).toBe(
			`ID     FULL NAME${" ".repeat(31)}  YEAR  NOTE\n12345  ${"x".repeat(40)}  2020  n\n`,
		);
	});
});

describe("what people see", () => {
	interface Thing {
		readonly id: string;
		readonly app: string;
		readonly state: string;
		readonly bytes: number;
		readonly made_at: string | null;
	}
	const OF_THINGS: readonly Column<Thing>[] = fields("id", "app", "state", "bytes", "made_at");
	const thing = (digit: string, more: Partial<Thing> = {}): Thing => ({
		id: `img_${digit.repeat(22)}`,
		app: `app_${"0".repeat(16)}${digit.repeat(6)}`,
		state: "active",
		bytes: 708_872,
		made_at: "2025-12-31T23:57:00.000Z",
		...more,
	});
	const shown = async (things: readonly Thing[], columns: number, options: Partial<OutputOptions> = {}) => {
		const world = fakeWorld({ isTerminal: true, columns, env: { NO_COLOR: "1" } });
		await createOutput(world, { ...PLAIN, ...options }).rows(OF_THINGS, things);
		return world.outText();
	};

	test("times are ages and bytes have units, numbers stand below each other; a pipe gets what there is [out.people]", async () => {
		const things = [thing("1"), thing("2", { bytes: 20, made_at: "2026-01-03T00:00:00.000Z" })];
		const lines = (await shown(things, 200)).split("\n");
		expect(lines[0]).toBe(`ID${" ".repeat(24)}  APP${" ".repeat(23)}  STATE    BYTES  MADE`);
		expect(lines[1]).toEndWith("  active  709 kB  3m ago");
		expect(lines[2]).toEndWith("  active    20 B  in 2d");
		const world = fakeWorld();
		await createOutput(world, PLAIN).rows(OF_THINGS, things);
		expect(world.outText()).toContain(`\tapp_${"0".repeat(16)}111111\tactive\t708872\t2025-12-31T23:57:00.000Z\n`);
	});

	test("of ids only those of other things get shorter, and never so short that two look the same [out.ids]", async () => {
		const one = await shown([thing("1"), thing("2")], 70);
		expect(one).toContain(`img_${"1".repeat(22)}  app_…111111  active`);
		const alike = [thing("1"), thing("1", { app: `app_${"0".repeat(14)}xx111111` })];
		expect(await shown(alike, 70)).toContain("app_…0111111  active");
		expect(await shown([thing("1")], 60, { wide: true })).toContain(`app_${"0".repeat(16)}111111`);
	});

	test("a column without values makes room first, and states have a colour [out.empty-column] [out.states]", async () => {
		expect(await shown([thing("1", { state: "" })], 58)).toBe(
			`ID${" ".repeat(24)}  APP           BYTES  MADE\nimg_${"1".repeat(22)}  app_…111111  709 kB  3m ago\n`,
		);
		const world = fakeWorld({ isTerminal: true, columns: 200, env: {} });
		const states = ["active", "past_due", "ready,locked", "archived", "unheard"];
		await createOutput(world, PLAIN).rows(
			OF_THINGS,
			states.map((state) => thing("1", { state })),
		);
		const coloured = ["32mactive", "31mpast_due", "33mready,locked", "2marchived"];
		for (const text of coloured) expect(world.outText()).toContain(`\u001b[${text}\u001b[`);
		expect(world.outText()).toContain("  unheard ");
	});

	test("an empty list says so to people, and to nobody else [out.nothing]", async () => {
		const empty = async (options: Partial<OutputOptions>, isTerminal: boolean) => {
			const world = fakeWorld({ isTerminal });
			await createOutput(world, { ...PLAIN, nothing: async () => "No pets.", ...options }).rows(COLUMNS, []);
			return [world.outText(), world.errText()];
		};
		expect(await empty({}, true)).toEqual(["", "No pets.\n"]);
		expect(await empty({}, false)).toEqual(["", ""]);
		expect(await empty({ quiet: true }, true)).toEqual(["", ""]);
		expect(await empty({ field: "id" }, true)).toEqual(["", ""]);
		expect(await empty({ format: "json" }, true)).toEqual(["[]\n", ""]);
	});

	test("FORCE_COLOR colours a table in a pipe, NO_COLOR is stronger, and no data is ever coloured [out.color]", async () => {
		const piped = async (env: Readonly<Record<string, string>>, format: OutputOptions["format"]) =>
			await rows({ format }, fakeWorld({ env }));
		expect(await piped({ FORCE_COLOR: "1" }, "table")).toContain("\u001b[1m");
		expect(await piped({ CLICOLOR_FORCE: "1" }, "table")).toContain("\u001b[1m");
		expect(await piped({ FORCE_COLOR: "1", NO_COLOR: "1" }, "table")).not.toContain("\u001b");
		for (const format of ["tsv", "json", "jsonl"] as const)
			expect(await piped({ FORCE_COLOR: "1" }, format)).not.toContain("\u001b");
	});
});
