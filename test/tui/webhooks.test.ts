import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifyWebhook } from "@svc/sdk/calls/webhooks";
import { createManagement } from "@svc/sdk/management";
import { plain } from "../support/pictures.ts";
import { uploaded } from "../support/requests.ts";
import { openReceiver, status } from "../support/webhooks.ts";
import { type Moderated, startModerated } from "./moderated.ts";

const ESCAPE = "\u001b";
const open = { args: ["--screen", "webhooks"] };

let world: Moderated;
let receiver: Awaited<ReturnType<typeof openReceiver>>;
let looks: ReturnType<typeof setInterval>;
let app: string;
let count = 0;

beforeAll(async () => {
	receiver = await openReceiver();
	world = await startModerated([], { SVC_IMPORT_ALLOW: receiver.origin.host });
	// As the server does, more often.
	looks = setInterval(() => void world.service.lookForWebhooks(), 200);
	app = (await management().apps.list()).data[0]?.id ?? "";
});

afterAll(async () => {
	clearInterval(looks);
	await world[Symbol.asyncDispose]();
	receiver.origin.stop();
});

const management = () => createManagement({ baseUrl: world.service.baseUrl, apiKey: world.service.token });
const webhooks = () => management().apps.of(app).webhooks;

/** An endpoint at a path of its own, which no other test sees. */
async function endpointOf(types: readonly string[] = ["image.*"]) {
	for (const { id } of (await webhooks().list()).data) await webhooks().remove(id);
	count += 1;
	const path = `/hooks/${count}`;
	const endpoint = await webhooks().create({ url: receiver.origin.url(path), types });
	return { ...endpoint, path, got: () => receiver.received.filter((one) => one.path === path) };
}

const upload = async (name: string) => await uploaded(world.service, await plain(8, 8), name);

describe("endpoints", () => {
	test("c adds an address, whose secret is shown once and signs what it gets [tui.webhooks.create]", async () => {
		await using program = world.start(open);
		await program.until("This App's events are sent nowhere. c adds an address");
		const url = receiver.origin.url("/hooks/made");
		program.type("c");
		await program.until("Address that gets all events: https://▏");
		program.type(`${"\u007f".repeat("https://".length)}nowhere\r`);
		await program.until("It needs an address");
		program.type(`${"\u007f".repeat("nowhere".length)}${url}\r`);
		const shown = await program.until(/whsec_\S+ +shown this once/);
		const secret = /whsec_\S+/.exec(shown.join("\n"))?.[0] ?? "";
		program.type(ESCAPE);
		const after = await program.until((lines) => !lines.join("\n").includes(secret));
		expect(after.join("\n")).toContain(`Made the endpoint ${url}.`);
		expect(after.join("\n")).toMatch(/▸ {2}○ enabled/);
		await upload("signed.png");
		while (receiver.received.length === 0) await Bun.sleep(20);
		const [got] = receiver.received;
		expect((await verifyWebhook(got?.body ?? "", got?.headers ?? {}, secret)).type).toBe("image.created");
	});

	test("what the service refuses of an address is said, and nothing is added [tui.webhooks.refused]", async () => {
		await endpointOf();
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("cx\r");
		await program.until(/✗ .+\(request req_/);
		expect((await webhooks().list()).data).toHaveLength(1);
	});

	test("p disables it and enables it again; p is shown at once and kept by the service [tui.webhooks.disable]", async () => {
		const { id } = await endpointOf();
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("p");
		await program.until(/⛒ disabled[\s\S]*what was on its way has ended/);
		await program.until("somebody disabled it");
		expect((await webhooks().get(id)).state).toBe("disabled");
		program.type("p");
		await program.until(/○ enabled[\s\S]*it gets what happens from now on/);
		expect((await webhooks().get(id)).state).toBe("enabled");
	});

	test("R makes another secret, and the old one signs as well [tui.webhooks.rotate]", async () => {
		const { secret, got } = await endpointOf();
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("R");
		const shown = await program.until(/whsec_\S+ +shown this once/);
		const second = /whsec_\S+/.exec(shown.join("\n"))?.[0] ?? "";
		expect(second).not.toBe(secret);
		program.type(ESCAPE);
		await program.until("the old one signs as well for a day");
		await upload("twice.png");
		while (got().length === 0) await Bun.sleep(20);
		const [one] = got();
		for (const each of [secret, second]) await verifyWebhook(one?.body ?? "", one?.headers ?? {}, each);
	});

	test("x removes it once its host is typed [tui.webhooks.remove]", async () => {
		await endpointOf();
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type(`x${receiver.origin.host}\r`);
		await program.until("removed.");
		await program.until("sent nowhere");
		expect((await webhooks().list()).data).toEqual([]);
	});

	test("read-only: no key sends or changes anything [tui.webhooks.read-only]", async () => {
		const { id, got } = await endpointOf();
		await using program = world.start({ args: [...open.args, "--read-only"] });
		await program.until("○ enabled");
		program.type("tpR?");
		const keys = await program.until("All keys");
		expect(keys.join("\n")).not.toMatch(/Send|Disable|Rotate|Remove|Add/);
		expect(got()).toEqual([]);
		expect((await webhooks().get(id)).state).toBe("enabled");
	});
});

describe("deliveries", () => {
	test("Enter shows them with every try; t sends a test, whose answer comes by itself; q leads back [tui.deliveries.test]", async () => {
		const { got } = await endpointOf();
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("\r");
		const empty = await program.until("Nothing was sent to this endpoint");
		expect(empty[1]).toContain("[W Hooks › Deliveries]");
		program.type("t");
		await program.until(/▸ {2}… pending +webhook\.test/);
		await program.until(/▸ {2}✓ delivered +webhook\.test +1 +200/);
		await program.until(/Tries: 1[\s\S]*200 after \d+ ms/);
		expect(got()).toHaveLength(1);
		program.type("q");
		await program.until(/\[W Hooks\]/);
	});

	test("d delivers a failed one again, under the same id; one that is on its way is left alone [tui.deliveries.again]", async () => {
		const { path, got, id } = await endpointOf();
		receiver.answers.set(path, status(500));
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("\rt");
		await program.until(/… pending +webhook\.test +1 +500/);
		program.type("d");
		await program.until("It is on its way already.");
		await webhooks().update(id, { state: "disabled" });
		await webhooks().update(id, { state: "enabled" });
		await program.until(/⛒ failed +webhook\.test/);
		receiver.answers.delete(path);
		program.type("d");
		await program.until(/✓ delivered +webhook\.test +[2-9] +200/);
		expect(new Set(got().map(({ headers }) => headers["webhook-id"])).size).toBe(1);
	});

	test("m sends what was missed while it was disabled, since a time that is asked for [tui.deliveries.recover]", async () => {
		const { id, got } = await endpointOf();
		await webhooks().update(id, { state: "disabled" });
		await upload("missed.png");
		await webhooks().update(id, { state: "enabled" });
		await using program = world.start(open);
		await program.until("○ enabled");
		program.type("m");
		await program.until("Send what was not delivered since (90m, 24h, 7d, a date): 24h▏");
		program.type(`${"\u007f".repeat(3)}soon\r`);
		await program.until("That is no time");
		program.type(`${"\u007f".repeat(4)}1h\r`);
		await program.until("what was not delivered is on its way again.");
		program.type("\r");
		await program.until(/✓ delivered +image\.created/);
		expect(got().map(({ body }) => JSON.parse(body).data.object.filename)).toContain("missed.png");
	});
});
