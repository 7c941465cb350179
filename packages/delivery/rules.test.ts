import { expect, test } from "bun:test";
import { KnownRules } from "./rules.ts";

function knownRules() {
	const world = { version: 1, asked: 0, thumb: "30" };
	const rules = new KnownRules(
		async () => {
			world.asked++;
			return { version: world.version, presets: { thumb: { w: world.thumb } }, secrets: ["one"] };
		},
		{ current: () => "own", all: () => ["own", "former"] },
	);
	const at = (rulesVersion: number, appPk = 1) => rules.of({ appPk, policy: "presets", rulesVersion });
	return { world, at };
}

test("what holds is asked for once, and again when its version is another one", async () => {
	const { world, at } = knownRules();
	for (let again = 0; again < 3; again++) expect((await at(1)).presets.get("thumb")).toBe("w=30");
	expect(world.asked).toBe(1);
	Object.assign(world, { version: 2, thumb: "40" });
	for (let again = 0; again < 3; again++) expect((await at(2)).presets.get("thumb")).toBe("w=40");
	expect(world.asked).toBe(2);
	expect((await at(2)).secrets).toEqual(["one", "own", "former"]);
});

test("what was read while it changed is not taken for the version that was asked for", async () => {
	const { world, at } = knownRules();
	// A replica that has not heard of it yet.
	await at(2);
	Object.assign(world, { version: 2, thumb: "40" });
	expect((await at(2)).presets.get("thumb")).toBe("w=40");
});

test("a bounded number of Apps is kept, the least recently used forgotten first", async () => {
	const { world, at } = knownRules();
	for (let appPk = 0; appPk <= 1_000; appPk++) await at(1, appPk);
	const asked = world.asked;
	await at(1, 1_000);
	await at(1, 1);
	expect(world.asked).toBe(asked);
	await at(1, 0);
	expect(world.asked).toBe(asked + 1);
});
