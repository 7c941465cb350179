import { expect, test } from "bun:test";
import { EXIT } from "@svc/base/processes/exit";
import type { AppThing } from "@svc/nouns/app";
import { key, keys, play, queueOf } from "@svc/test/support/dashboard";
import { fakeService } from "@svc/test/support/fake-service";
import { fakeWorld } from "@svc/test/support/fake-world";
import { run } from "../../kit/run.ts";

const APP = {
	...{ id: "app_1", object: "app", name: "Shop", state: "active", plan: "free", limits: { images: 1, users: 1 } },
	...{ sign_in_enabled: false, delivery: "open", free_limits: { images: 3, bytes: null } },
	created_at: "2026-01-01T00:00:00.000Z",
} as unknown as AppThing;

async function edited(...words: string[]) {
	const bodies: unknown[] = [];
	const { fetch } = fakeService(({ method, body }) => {
		if (method === "PATCH") bodies.push(JSON.parse(String(body)));
		return undefined;
	});
	const world = fakeWorld({ fetch });
	return { exit: await run(["apps", "edit", "app_1", ...words], world), bodies, err: world.errText() };
}

test("what the dashboard's form of an App sends, svc apps edit sends as well [cli.apps.edit.form]", async () => {
	const typed = ["!", "tab", "right", "tab", "right", "tab", "0", "tab", "9"];
	const { effects } = play(queueOf([APP], { screen: "apps" }), ...keys("e", ...typed), key("s", true));
	const changes = { name: "Shop!", signInEnabled: true, delivery: "presets", freeLimits: { images: 30, bytes: 9 } };
	expect(effects).toMatchObject([{ act: { kind: "app-settings", id: "app_1", changes } }]);
	const line = [
		"--name",
		"Shop!",
		"--sign-in",
		"on",
		"--delivery",
		"presets",
		"--free-images",
		"30",
		"--free-bytes",
		"9",
	];
	const sent = { name: "Shop!", sign_in_enabled: true, delivery: "presets", free_limits: { images: 30, bytes: 9 } };
	expect(await edited(...line)).toMatchObject({ exit: EXIT.ok, bodies: [sent] });
});

test("svc apps edit sends what was named alone: none is no limit, and an empty text clears a field of the profile [cli.apps.edit.named]", async () => {
	const { bodies } = await edited(
		"--free-bytes",
		"none",
		"--terms",
		"",
		"--tax",
		"automatic",
		"--promotion-codes",
		"off",
	);
	expect(bodies).toEqual([
		{ free_limits: { bytes: null }, profile: { terms_url: null }, tax: { mode: "automatic" }, promotion_codes: false },
	]);
});

test("svc apps edit sends hosts with commas between them as a list, and a day's ceilings [cli.apps.edit.delivery]", async () => {
	const hosts = ["--referrers", "example.com, *.example.org"];
	const { bodies } = await edited(...hosts, "--day-bytes", "5000000000", "--day-renditions", "none");
	const limits = { bytes: 5_000_000_000, renditions: null };
	expect(bodies).toEqual([{ delivery_referrers: ["example.com", "*.example.org"], delivery_limits: limits }]);
	expect((await edited("--referrers", "")).bodies).toEqual([{ delivery_referrers: [] }]);
});

test("svc apps edit sends nothing where nothing was named, or a word that is none of those [cli.apps.edit.refused]", async () => {
	expect(await edited()).toMatchObject({ exit: EXIT.usage, bodies: [] });
	const { exit, bodies, err } = await edited("--delivery", "presetz");
	expect([exit, bodies]).toEqual([EXIT.usage, []]);
	expect(err).toContain("--delivery takes open, presets, signed");
});
