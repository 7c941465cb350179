import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Moderated, startModerated } from "./moderated.ts";

const ESCAPE = "\u001b";

let world: Moderated;

beforeAll(async () => {
	world = await startModerated(["a.png"]);
});

afterAll(() => world[Symbol.asyncDispose]());

test("every screen shows what the service has [tui.screens]", async () => {
	await using program = world.start();
	await program.until("a.png");
	for (const [key, text] of [
		["2", "My first App"],
		["3", "read+write"],
		["4", "Nobody is connected to this App."],
		["5", "This App has no plan."],
		["6", "Uploads this month"],
		["7", "image.created"],
	] as const) {
		program.type(key);
		await program.until(text);
	}
});

test("a key is made and rotated, and its secret is shown once [tui.screens.keys]", async () => {
	await using program = world.start({ args: ["--screen", "keys"] });
	await program.until("read+write");
	program.type("cSecond key\u0013");
	await program.until(/svc_sk_test_\w{20,} +shown this once/);
	program.type(ESCAPE);
	await program.until((lines) => !lines.join("\n").includes("shown this once"));
	await program.until("Made the key Second key.");
	program.type("t");
	await program.until("shown this once");
	program.type(ESCAPE);
	await program.until("First key: has a successor now");
	await program.until((lines) => (lines.join("\n").match(/First key/g)?.length ?? 0) >= 2);
});

test("p pauses the App and resumes it [tui.screens.apps]", async () => {
	await using program = world.start({ args: ["--screen", "apps"] });
	await program.until("○ active");
	program.type("p");
	await program.until("▣ paused");
	program.type("p");
	await program.until("○ active");
});

test("under 100 columns there is the list only, and Enter opens the detail [tui.narrow]", async () => {
	await using program = world.start({ columns: 80 });
	const list = await program.until("a.png");
	expect(list.join("\n")).not.toContain("revision");
	program.type("\r");
	expect((await program.until("revision")).join("\n")).not.toContain("▸");
	program.type("q");
	await program.until("▸");
});

test("operators see how many images are damaged [tui.screens.damaged]", async () => {
	await using program = world.start({ args: ["--screen", "usage"] });
	await program.until(/Service: damaged images +0/);
	await program.until(/Service: mails waiting +0/);
});

test("operators see the trash, until when each stays, and bring it back [tui.screens.trash]", async () => {
	const [row] = await world.service.database.rows("SELECT blob_key FROM images", []);
	const key = String(row?.[0]);
	await world.service.rooms.images.trash.put(key);
	await using program = world.start({ args: ["--screen", "trash"] });
	await program.until(/[○▣] known/);
	const until = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 7);
	expect((await program.until("kept until")).join("\n")).toContain(until);
	program.type("m");
	await program.until("1 brought back from the trash.");
	await program.until("The trash is empty");
	expect(await world.service.rooms.images.blobs.find(key)).toBeDefined();
});
