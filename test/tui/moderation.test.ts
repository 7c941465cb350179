import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type Moderated, nth, startModerated } from "./moderated.ts";
import { startProxy } from "./proxy.ts";

const ESCAPE = "\u001b";

let world: Moderated;

beforeAll(async () => {
	world = await startModerated();
});

afterAll(() => world[Symbol.asyncDispose]());

const image = (index: number) => nth(world.images, index);

describe("moderation", () => {
	test("the queue is shown, l locks, z takes it back, q gives the terminal back [tui.moderation.lock]", async () => {
		await using program = world.start();
		const queue = await program.until("a.png");
		expect(queue[0]).toMatch(/operator@localhost \(operator\) · App My first App.* TEST/);
		expect(queue.join("\n")).toMatch(/▸ {2}○ open +1 +spam +c\.png/);
		expect(program.isAlternate).toBe(true);

		program.type("jjl");
		await program.until("1 image locked; z takes it back.");
		expect(program.lines().join("\n")).toMatch(/▸ {2}▣ locked +1 +spam +a\.png/);
		expect(await world.itemOf(image(0))).toMatchObject({ locked: true });

		program.type("z");
		await program.until("Undone: 1 image unlocked.");
		expect(await world.itemOf(image(0))).toMatchObject({
			locked: false,
			actions: [{ action: "unlock" }, { action: "lock" }],
		});

		program.type("q");
		expect(await program.exited).toBe(0);
		await program.until(() => !program.isAlternate);
	});

	test("409: an undo that comes too late changes nothing and says who was faster [tui.moderation.conflict]", async () => {
		await using program = world.start();
		await program.until("c.png");
		program.type("l");
		await program.until("1 image locked");
		await world.moderate(image(2), "unlock");
		await world.moderate(image(2), "lock");
		program.type("z");
		await program.until("✗ operator@localhost (lock) changed c.png");
		expect(await world.itemOf(image(2))).toMatchObject({ locked: true });
		// What is shown is what there is now: the next change of it is no conflict.
		program.type("u");
		await program.until("1 image unlocked");
		expect(await world.itemOf(image(2))).toMatchObject({ locked: false });
	});

	test("marked images are blocked with one reason and freed again [tui.moderation.batch]", async () => {
		await using program = world.start();
		await program.until("a.png");
		program.type("  b");
		await program.until("Block for: 1 content_policy  2 dmca");
		program.type("2");
		await program.until("2 images blocked");
		const items = await Promise.all([2, 1, 0].map((index) => world.itemOf(image(index))));
		expect(items.map(({ blocked_reason }) => blocked_reason)).toEqual(["dmca", "dmca", null]);
		program.type("z");
		await program.until("Undone: 2 images unblocked.");
		await program.until(/○ open +1 +spam +c\.png/);
		expect(await world.itemOf(image(2))).toMatchObject({ blocked_reason: null, reports_count: 1 });
	});

	test("no key changes anything, and f still shows the picture alone [tui.read-only]", async () => {
		await using program = world.start({ args: ["--read-only"] });
		const [top] = await program.until("a.png");
		expect(top).toContain("READ-ONLY");
		program.type("lb1n?");
		const keys = await program.until("All keys");
		expect(keys.join("\n")).not.toMatch(/\bLock|Block|nsfw/);
		expect(await world.itemOf(image(2))).toMatchObject({ locked: false, blocked_reason: null });
		program.type(`${ESCAPE}f`);
		await program.until((lines) => lines.some((line) => /^│ +▀{30,}/.test(line)));
	});
});

describe("pictures", () => {
	test("a reported picture is covered until v, in half-blocks; f fills the screen with it, and q leaves that [tui.preview]", async () => {
		await using program = world.start({ env: { COLORTERM: "truecolor" } });
		await program.until(/▀▀▀▀[\s\S]*\[flagged, and therefore covered; v shows it\]/);
		program.type("v");
		await program.until((lines) => lines.join("\n").includes("▀▀▀▀") && !lines.join("\n").includes("covered"));
		expect(program.written()).toContain(`${ESCAPE}[38;2;51;102;153m${ESCAPE}[48;2;51;102;153m▀`);
		program.type("f");
		// As large as it is: 40 × 30 pixels, in the middle of the screen.
		await program.until((lines) => lines.filter((line) => /^│ {39}▀{40} {39}│$/.test(line)).length === 15);
		expect(program.lines().join("\n")).not.toContain("a.png");
		program.type("j");
		await program.until("covered; v shows it");
		program.type("q");
		const list = await program.until("a.png");
		expect(list.join("\n")).toMatch(/▸ .*b\.png/);
		expect(program.isAlternate).toBe(true);
	});

	test("no picture stands over the list of keys, and it comes back after it [tui.preview.search]", async () => {
		await using program = world.start();
		await program.until("▀▀▀▀");
		program.type("?");
		await program.until((lines) => lines.join("\n").includes("Flag as nsfw") && !lines.join("\n").includes("▀"));
		program.type(ESCAPE);
		await program.until("▀▀▀▀");
	});
});

describe("a service that is not there", () => {
	test("503: a lock goes back and says why; what is shown stays, with a badge, until it is there again [tui.moderation.rollback, tui.stale]", async () => {
		await using proxy = startProxy(world.service);
		const env = { SVC_API_KEY: world.service.token, SVC_BASE_URL: proxy.baseUrl };
		await using program = world.start({ env });
		await program.until("a.png");
		proxy.down(true);
		program.type("jjl");
		await program.until("✗ It is not there now.");
		expect(program.lines().join("\n")).toMatch(/▸ {2}○ open +1 +spam +a\.png/);
		expect(await world.itemOf(image(0))).toMatchObject({ locked: false });
		program.type(ESCAPE);
		await program.until((lines) => !lines.join("\n").includes("✗"));
		program.type("r");
		const stale = await program.until("✗ STALE, tries again by itself: It is not there now.");
		expect(stale.join("\n")).toContain("a.png");
		proxy.down(false);
		await program.until((lines) => !lines.join("\n").includes("STALE"));
	});
});

describe("two moderators at one queue", () => {
	test("each sees within seconds what the other one decided; new reports are counted, and wait for g [tui.moderation.live]", async () => {
		await using other = await startModerated(["a.png", "b.png"]);
		await using program = other.start();
		await program.until("b.png");
		await other.moderate(nth(other.images, 1), "lock");
		// It is under the cursor: it stays, and says what became of it.
		const decided = await program.until(/▸ {2}▣ locked .*b\.png/);
		expect(decided.join("\n")).toContain("operator@localhost");
		const file = await uploaded(other.service, await plain(8, 8), "late.png");
		await other.report(file);
		const counted = await program.until("1 new: g");
		expect(counted.join("\n")).not.toContain("late.png");
		program.type("g");
		await program.until(/▸ {2}○ open .*late\.png/);
	});
});
