import { expect, test } from "bun:test";
import { emptyDatabase, type Scratch } from "@svc/test/support/scratch";
import { untilChanged } from "./until-changed.ts";

async function numbered(): Promise<Scratch> {
	const scratch = await emptyDatabase();
	await scratch.sql("CREATE TABLE numbers (name TEXT, number INTEGER)");
	await scratch.sql("INSERT INTO numbers VALUES ('one', 1), ('two', 2)");
	return scratch;
}

/** A look-up, and how often the database was asked. */
function finder({ database, value }: Scratch, isOwner = true) {
	let asked = 0;
	const look = async (name: string) => {
		asked += 1;
		return ((await value(`SELECT number FROM numbers WHERE name = '${name}'`)) ?? undefined) as number | undefined;
	};
	const version = isOwner ? database.version : undefined;
	return { find: untilChanged({ version }, look, (name) => name), asked: () => asked };
}

test("what was found is kept by its name, until anything changes", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch);
	expect([await find("one"), await find("two"), await find("one"), await find("two")]).toEqual([1, 2, 1, 2]);
	expect(asked()).toBe(2);
	await scratch.sql("UPDATE numbers SET number = 3 WHERE name = 'two'");
	expect([await find("one"), await find("two")]).toEqual([1, 3]);
	expect(asked()).toBe(4);
});

test("what is not there is asked for each time", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch);
	expect([await find("none"), await find("none")]).toEqual([undefined, undefined]);
	expect(asked()).toBe(2);
});

test("what is found while a change is under way is not kept beyond it", async () => {
	await using scratch = await numbered();
	const { find } = finder(scratch);
	const changing = scratch.sql("UPDATE numbers SET number = 9");
	const during: Promise<unknown>[] = [];
	for (let turn = 0; turn < 50; turn++) {
		during.push(find("one"));
		await Promise.resolve();
	}
	await changing;
	expect(await find("one")).toBe(9);
	await Promise.all(during);
	expect(await find("one")).toBe(9);
});

test("nothing is kept where others may write", async () => {
	await using scratch = await numbered();
	const { find, asked } = finder(scratch, false);
	expect([await find("one"), await find("one")]).toEqual([1, 1]);
	expect(asked()).toBe(2);
});
