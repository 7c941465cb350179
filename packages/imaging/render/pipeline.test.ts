import { expect, test } from "bun:test";
import { pathToFileURL } from "node:url";
import { LOOK } from "./cost.ts";
import { PIPELINE } from "./pipeline.ts";
import type { RenderStep } from "./step.ts";

test("a step cannot name a parameter without saying what it costs: that does not compile", () => {
	const run: RenderStep["run"] = (picture) => picture;
	const priced = { of: { saturation: LOOK }, run } satisfies RenderStep;
	// @ts-expect-error: a name alone says no cost.
	const named = { of: ["saturation"], run } satisfies RenderStep;
	// @ts-expect-error: nor does a name without a cost.
	const unpriced = { of: { saturation: undefined }, run } satisfies RenderStep;
	expect([priced, named, unpriced]).toHaveLength(3);
});

test("every cost of a parameter is a number that is not negative", () => {
	const costs = PIPELINE.flatMap(({ of }) => Object.values(of));
	expect(costs.length).toBeGreaterThan(20);
	expect(costs.filter(({ bytes, ms }) => !(bytes >= 0 && ms >= 0))).toEqual([]);
});

test.skipIf(process.platform !== "linux")("a process that reads what steps cost does not open libvips", async () => {
	const price = pathToFileURL(`${import.meta.dir}/render-price.ts`);
	const program = `
		await import(${JSON.stringify(price)});
		const maps = await Bun.file("/proc/self/maps").text();
		console.log(/libvips/.test(maps));`;
	const { stdout } = Bun.spawnSync([process.execPath, "-e", program]);
	expect(stdout.toString().trim()).toBe("false");
});
