import { afterAll, beforeAll, expect, test } from "bun:test";
import { createManagement } from "@svc/sdk/management";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { type Moderated, startModerated } from "./moderated.ts";

const ESCAPE = "\u001b";
const SAVE = "\u0013";
const BACKSPACE = "\u007f";
const open = { args: ["--screen", "presets"] };

let world: Moderated;
let app: string;

beforeAll(async () => {
	world = await startModerated([]);
	app = (await management().apps.list()).data[0]?.id ?? "";
});

afterAll(() => world[Symbol.asyncDispose]());

const management = () => createManagement({ baseUrl: world.service.baseUrl, apiKey: world.service.token });
const presets = () => management().apps.of(app).presets;
const found = async () => (await presets().list()).data.map(({ name, parameters }) => ({ name, parameters }));

test("c creates a preset in a form, and the transform host answers it [tui.presets.create]", async () => {
	await using program = world.start(open);
	await program.until("This App has no preset. c creates one");
	program.type(`cthumb\tw=20 fit${SAVE}`);
	await program.until('✗ are name=value each; "fit" is not');
	program.type(`=cover h=10${SAVE}`);
	await program.until("Made the preset thumb.");
	await program.until(/▸ {2}thumb +w=20 fit=cover h=10/);
	expect(await found()).toEqual([{ name: "thumb", parameters: { w: "20", fit: "cover", h: "10" } }]);
	const image = await uploaded(world.service, await plain(40, 40), "a.png");
	const answer = await world.service.open(`${image.url}?preset=thumb`);
	expect(answer.status).toBe(200);
});

test("what is wrong with a parameter is said by its name, and nothing changes [tui.presets.refused]", async () => {
	const before = await found();
	await using program = world.start(open);
	await program.until("thumb");
	program.type(`cbad\tw=99999999${SAVE}`);
	await program.until(/Parameters +w=99999999[\s│]+✗ w must/);
	expect(await found()).toEqual(before);
});

test("e changes name and parameters, beginning with what there is [tui.presets.edit]", async () => {
	await using program = world.start(open);
	await program.until("thumb");
	program.type("e");
	await program.until("w=20 fit=cover h=10");
	program.type(`\t${BACKSPACE.repeat(" fit=cover h=10".length)}0${SAVE}`);
	await program.until("thumb: changed.");
	await program.until(/▸ {2}thumb +w=200 /);
	expect(await found()).toEqual([{ name: "thumb", parameters: { w: "200" } }]);
	program.type("e");
	await program.until("Preset thumb");
	program.type(ESCAPE);
	await program.until("Nothing was changed.");
});

test("x removes it once its name is typed; read-only has neither key [tui.presets.remove]", async () => {
	await using reader = world.start({ args: [...open.args, "--read-only"] });
	await reader.until("thumb");
	reader.type("xce?");
	const keys = await reader.until("All keys");
	expect(keys.join("\n")).not.toMatch(/preset$/m);
	await using program = world.start(open);
	await program.until("thumb");
	program.type("xthumb\r");
	await program.until("thumb: removed");
	await program.until("This App has no preset.");
	expect(await found()).toEqual([]);
});

test("signing keys are made, shown once, and removed once the end of their secret is typed [tui.signing-keys]", async () => {
	await using program = world.start({ args: ["--screen", "signing-keys"] });
	await program.until("This App signs no address.");
	program.type("cweb\r");
	const shown = await program.until(/svc_sig_\w+ +shown this once/);
	const secret = /svc_sig_\w+/.exec(shown.join("\n"))?.[0] ?? "";
	expect(secret.length).toBeGreaterThan(30);
	program.type(ESCAPE);
	program.type("x");
	const asked = await program.until("Remove web?");
	expect(asked.join("\n")).not.toContain(secret);
	const keys = async () => (await management().apps.of(app).signingKeys.list()).data;
	expect(await keys()).toMatchObject([{ name: "web", last4: secret.slice(-4) }]);
	program.type(`${secret.slice(-4)}\r`);
	await program.until("web: removed");
	expect(await keys()).toEqual([]);
});
