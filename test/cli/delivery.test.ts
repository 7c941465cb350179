import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { corners } from "../support/pictures.ts";
import { jsonOf, openProgram, type Program } from "../support/program.ts";
import { uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let program: Program;
let appId: string;

beforeAll(async () => {
	service = await startService({ SVC_VARIANT: "current" });
	program = await openProgram(service);
	appId = (await json("apps", "get")).id;
});

afterAll(async () => {
	await program.close();
	await service.stop();
});

const svc = (...argv: readonly string[]) => program.svc(...argv);
const json = (...argv: readonly string[]) => jsonOf(svc(...argv, "--json"));
const statusOf = async (url: string) => (await fetch(url)).status;

test("presets are made, changed by their name, listed and removed", async () => {
	const made = await json("presets", "create", "thumb", "w=30", "background=#ff8800");
	expect(made).toMatchObject({ object: "preset", name: "thumb", parameters: { w: "30", background: "#ff8800" } });
	expect(await json("presets", "edit", "thumb", "h=20")).toMatchObject({ id: made.id, parameters: { h: "20" } });
	expect(await json("presets", "edit", made.id, "--name", "small")).toMatchObject({
		name: "small",
		parameters: { h: "20" },
	});
	expect((await svc("presets", "list")).out).toContain("\tsmall\th=20\t");
	expect((await svc("presets", "rm", "thumb")).exit).toBe(5);
	expect(await json("presets", "rm", "small")).toEqual([{ id: made.id, object: "preset", deleted: true }]);
	const wrong = await svc("presets", "create", "wrong", "width=30");
	expect([wrong.exit, wrong.err.includes("parameters.width")]).toEqual([1, true]);
	expect((await svc("presets", "create", "wrong", "w")).err).toContain("name=value");
});

test("a signed address is answered by an App that answers nothing else, and pictures are drawn where they may be", async () => {
	const image = await uploaded(service, await corners(40, 40), "a.png");
	const file = join(program.cwd, "signing.txt");
	const key = await json("signing-keys", "create", "web", "--secret-file", file);
	expect(key).not.toHaveProperty("secret");
	expect(await readFile(file, "utf8")).toMatch(/^svc_sig_\w{38}$/);
	expect((await stat(file)).mode & 0o777).toBe(0o600);

	expect(await json("apps", "set-delivery", appId, "presets")).toMatchObject({ delivery: "presets" });
	expect((await svc("images", "preview", image.id, "--width", "4")).exit).toBe(0);
	expect(await json("apps", "set-delivery", appId, "signed")).toMatchObject({ delivery: "signed" });
	const refused = await svc("images", "preview", image.id);
	expect([refused.exit === 0, refused.err.includes("svc images sign")]).toEqual([false, true]);
	expect((await svc("moderation", "preview", image.id, "--width", "4")).exit).toBe(0);

	const doctor = (await json("server", "doctor", "--upload")) as { name: string; state: string }[];
	const states = Object.fromEntries(doctor.map(({ name, state }) => [name, state]));
	expect(states).toMatchObject({ upload: "ok", read: "skipped", transform: "skipped", delete: "ok" });

	const signed = await json("images", "sign", image.id, "w=20", "--secret-file", file, "--expires-in", "10m");
	expect([await statusOf(image.url), await statusOf(signed.url)]).toEqual([403, 200]);
	expect(Date.parse(signed.expires_at)).toBeWithin(Date.now(), Date.now() + 600_001);
	const byAddress = await svc("images", "sign", image.url, "--secret-file", file, "--field", "url");
	expect(await statusOf(byAddress.out.trim())).toBe(200);

	const byService = await json("images", "sign", image.id, "w=20", "--expires-in", "10m");
	expect([await statusOf(byService.url), Date.parse(byService.expires_at) > Date.now()]).toEqual([200, true]);

	expect(await json("signing-keys", "rm", key.id, "--yes")).toMatchObject([{ id: key.id, deleted: true }]);
	expect(await statusOf(signed.url)).toBe(403);
	await json("apps", "set-delivery", appId, "open");
	expect(await statusOf(image.url)).toBe(200);
});

test("what cannot be signed is said before anything is asked of the service", async () => {
	const file = join(program.cwd, "wrong.txt");
	await writeFile(file, "svc_sk_live_1");
	const words = async (...argv: readonly string[]) =>
		(await svc("images", "sign", "https://x.example/t/i.jpg", ...argv)).err;
	expect(await words()).toContain("--secret-file");
	expect(await words("--secret-file", file)).toContain("svc_sig_");
	expect(await words("--secret-file", join(program.cwd, "none.txt"))).toContain("cannot be read");
	expect(await words("--secret-file", file, "--expires-in", "2y")).toContain("--expires-in");
	expect(await words("--secret-file", file, "--expires-in", "367d")).toContain("--expires-in");
	expect((await svc("apps", "set-delivery", appId, "closed")).err).toContain("open, presets, signed");
});
