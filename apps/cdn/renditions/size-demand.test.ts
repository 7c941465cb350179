import { expect, test } from "bun:test";
import { SizeDemand } from "./size-demand.ts";

const taken = (demand: SizeDemand, app: number, tries: number) =>
	Array.from({ length: tries }, () => demand.takes(app)).filter(Boolean).length;

test("sizes are made of an App's first pictures, and of no more where nobody asks for one", () => {
	const demand = new SizeDemand();
	expect(taken(demand, 1, 100)).toBe(16);
	expect(taken(demand, 2, 100)).toBe(16);
});

test("whoever asks for one has those of the next pictures made", () => {
	const demand = new SizeDemand();
	taken(demand, 1, 100);
	taken(demand, 2, 100);
	demand.asked(1);
	expect([taken(demand, 1, 100), taken(demand, 2, 100)]).toEqual([16, 0]);
});

test("Apps are forgotten one by one, the one that had none made for longest first", () => {
	const demand = new SizeDemand();
	taken(demand, 1, 16);
	for (let app = 2; app <= 10_000; app++) demand.takes(app);
	expect(demand.takes(1)).toBe(false);
	demand.takes(10_001);
	expect(demand.takes(1)).toBe(true);
});
