import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { widthOf } from "@svc/tui/text";
import { plain } from "../support/pictures.ts";
import { openProgram, type Program } from "../support/program.ts";
import { onTerminal, plainLines } from "../support/pty.ts";
import { send, uploaded } from "../support/requests.ts";
import { type StartedService, startService } from "../support/service.ts";

let service: StartedService;
let person: Program;
let image: Image;

const LONG = "the hikers of the eastern valley and all who walk with them";

beforeAll(async () => {
	service = await startService();
	person = await openProgram(service);
	const file = await plain(8, 6);
	image = await uploaded(service, file, `${LONG}.png`);
	const other = await uploaded(service, file, "b.png");
	for (const { url } of [image, other])
		await send(service, "POST", "/v1/reports", { url, reason: "content_policy", note: LONG });
	for (const argv of [
		["images", "edit", image.id, "--label", `album=${LONG}`],
		["keys", "create", LONG, "--secret-file", "key.txt", "--expires-at", new Date(Date.now() + 1e10).toISOString()],
		["moderation", "block", image.id, "--reason", "content_policy"],
		["presets", "create", "card", ..."w=400 h=300 fit=cover format=webp q=high".split(" ")],
		["webhooks", "create", `https://example.com/${"hooks/".repeat(10)}`],
	]) {
		const { exit, err } = await person.svc(...argv);
		if (exit !== 0) throw new Error(`${argv.join(" ")}: ${err}`);
	}
	await person.svc("keys", "revoke", "--yes", (await person.json<{ id: string }[]>("keys", "list"))[0]?.id ?? "");
});

afterAll(async () => {
	await person.close();
	await service.stop();
});

const LISTS = [
	"keys list",
	"moderation queue --state all",
	"audit list",
	"audit tail --limit 3",
	"logs tail --limit 3",
	"apps list",
	"images list",
	"moderation log",
	"reports list",
	"operator apps",
	"operator emails",
	"operator accounts",
	"tokens list",
	"members list",
	"presets list",
	"webhooks list",
	"usage daily",
	"profile list",
];

async function seen(line: string, columns: number): Promise<readonly string[]> {
	const env = { SVC_PROFILE_FILE: join(person.cwd, "profiles.json"), NO_COLOR: "1" };
	const { exit, written } = await onTerminal(line.split(" "), { cwd: person.cwd, columns, env });
	expect([line, exit, written.includes("\u001b")]).toEqual([line, 0, false]);
	return plainLines(written);
}

test.each(LISTS)(
	"%s fits the terminal, and what is to be pasted is whole [cli.widths]",
	async (line) => {
		const widths = [60, 80, 120, 200];
		const tables = await Promise.all(widths.map((columns) => seen(line, columns)));
		for (const [index, columns] of widths.entries()) {
			const lines = tables[index] ?? [];
			expect(lines.length).toBeGreaterThan(line.includes("tail") ? 0 : 1);
			expect([columns, lines.filter((one) => widthOf(one) > columns)]).toEqual([columns, []]);
		}
		const ids = tables.map((lines) => (lines[0]?.startsWith("ID ") ? lines.map((one) => one.split(" ")[0]) : []));
		for (const shown of ids) expect(shown).toEqual(ids[0] ?? []);
	},
	60_000,
);

test("a terminal of 200 columns has every column, one of 80 those of most worth [cli.widths-worth]", async () => {
	const columns = async (width: number) => (await seen("keys list", width))[0]?.split(/ {2,}/);
	expect(await columns(80)).toEqual(["ID", "NAME", "LAST USED", "EXPIRES", "REVOKED"]);
	expect(await columns(200)).toEqual(["ID", "NAME", "KEY", "REACH", "PERMISSIONS", "LAST USED", "EXPIRES", "REVOKED"]);
});

test("--wide is every column in full; a pipe gets what it always got [cli.widths-wide]", async () => {
	const [header = "", first = ""] = await seen("moderation queue --state all --wide", 60);
	expect(header.split(/ {2,}/)).toEqual(["ID", "STATE", "REASON", "REPORTS", "APP", "FILENAME", "CREATED AT", "URL"]);
	expect(first).toMatch(/app_[0-9A-Za-z]{22}/);
	const { out } = await person.svc("moderation", "queue", "--state", "all", "--wide");
	expect(out).toContain(`\t${LONG}.png\t${image.created_at.slice(0, 10)}`);
});

test("an empty list says so on a terminal, and nothing in a pipe [cli.nothing]", async () => {
	expect(await seen("users list", 80)).toEqual(["No users."]);
	expect(await person.svc("users", "list")).toEqual({ exit: 0, out: "", err: "" });
});

test("usage tells bytes with their units on a terminal, and the numbers to a pipe [cli.usage-units]", async () => {
	expect((await seen("usage show", 80)).find((line) => line.startsWith("bytes"))).toMatch(/^bytes +\d+ B of 100 GB$/);
	expect((await person.svc("usage", "show")).out).toMatch(/\t\d+ of 100000000000\t/);
});
