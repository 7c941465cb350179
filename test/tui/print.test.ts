import { expect, test } from "bun:test";
import { startModerated } from "./moderated.ts";

const print = (...more: string[]) => ({ columns: 200, args: [...more, "--print"] });

test("at an older interface a screen that is not there is refused with those that are, never shown as another [tui.print.absent]", async () => {
	await using world = await startModerated(["a.png"], { SVC_VARIANT: "legacy" });
	await using absent = world.start(print("--screen", "events"));
	await absent.until('There is no screen "events" for you at this service. Screens: moderation, apps, keys,');
	expect(await absent.exited).toBe(2);
	expect(absent.lines().join("\n")).not.toContain("presets");
	await using there = world.start(print("--screen", "apps"));
	await there.until("My first App");
	expect(await there.exited).toBe(0);
	await using unasked = world.start(print());
	await unasked.until("a.png");
	expect(await unasked.exited).toBe(0);
});
