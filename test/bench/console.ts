import { gzipSync } from "node:zlib";
import { consoleScripts, consoleSheet } from "@svc/pages/kit/assets";
import { sql } from "drizzle-orm";
import { placeOf } from "../support/bulk-images.ts";
import { signedIn } from "../support/console.ts";
import { addPerson } from "../support/people.ts";
import { openService } from "../support/service.ts";
import { forgetKept, hearStatements, statementsOf } from "../support/statement-count.ts";
import { ask } from "../support/teams.ts";
import { fill } from "./full-storage.ts";
import { interleaved, printTable, ratioOf, shown, spreadOf, verdict } from "./measure.ts";

/*
 * What a screen of the console costs: bytes on the wire, calls of the API, and processor time in an App of 100,000 images (the argument
 * sets another number) against one of a hundred, both in one database.
 */

const MANY = Number(process.argv[2] ?? 100_000);
const FEW = 100;
const ROUNDS = 25;
const SCREENS = {
	images: "/images",
	table: "/images?view=table",
	filtered: "/images?labels=colour%3Dred",
	word: "/images?q=scan",
	"word of all": "/images?q=picture",
	"two labels": "/images?labels=colour%3Dred%2Cshape%3Dround",
	many: "/images/chosen?all=1",
	overview: "",
};

hearStatements();
const service = await openService();
const owner = await addPerson(service.database);
const sizeOf = (text: string) => gzipSync(text).length;

async function makeApp(images: number): Promise<string> {
	const { body } = await ask(service, owner, "POST", "/v1/apps", { name: `${images} images` });
	const [row] = await service.database.rows(
		"SELECT storages.id FROM storages JOIN apps ON apps.pk = app_pk WHERE apps.id = ? AND kind = 'app'",
		[String(body.id)],
	);
	const { appPk, pk } = await placeOf(service, String(row?.[0]));
	await fill(service, images, { appPk, storagePk: pk });
	const word = sql`substr(filename, 1, instr(filename, '-') - 1)`;
	const random = (bytes: number) => sql.raw(`lower(hex(randomblob(${bytes})))`);
	// Ids as long as real ones, and colours: both are bytes on the wire.
	await service.database.write([
		{
			run: sql`UPDATE images SET words = json_array(1, ${word}, format), id = 'img_' || ${random(11)}, blob_key = ${random(11)}
				WHERE storage_pk = ${pk}`,
		},
		{
			run: sql`INSERT INTO image_facts (blob_key, kind, value, found_ms)
				SELECT blob_key, 'colours', CAST(json_array('#' || ${random(3)}) AS BLOB), 0 FROM images WHERE storage_pk = ${pk}`,
		},
	]);
	return String(body.id);
}

const many = await makeApp(MANY);
const few = await makeApp(FEW);
const browser = await signedIn(service, owner);

async function open(path: string) {
	const before = service.log.lines.filter(({ message }) => message === "request").length;
	const started = process.cpuUsage();
	const page = await browser.open(path);
	const { user, system } = process.cpuUsage(started);
	if (page.status !== 200) throw new Error(`${path}: ${page.status}`);
	const calls = service.log.lines.filter(({ message }) => message === "request").length - before;
	return { page, calls, ms: (user + system) / 1_000 };
}

const rows: string[][] = [];
const scriptsOf = new Map<string, readonly string[]>();
let gridBytes = 0;
for (const [name, path] of Object.entries(SCREENS)) {
	const { page, calls } = await open(`/console/${many}${path}`);
	scriptsOf.set(
		name,
		[...page.html.matchAll(/<script [^>]*src="([^"]*)"/g)].map(([, src = ""]) => new URL(src, page.url).pathname),
	);
	if (name === "images") gridBytes = sizeOf(page.html);
	await forgetKept(service.database);
	const statements = await statementsOf(() => open(`/console/${many}${path}`));
	const times = await interleaved(ROUNDS, {
		many: async () => (await open(`/console/${many}${path}`)).ms,
		few: async () => (await open(`/console/${few}${path}`)).ms,
	});
	const ratio = ratioOf(times.many, times.few);
	const ofFew = spreadOf(times.few);
	rows.push([
		name,
		String(sizeOf(page.html)),
		String(calls),
		String(statements.length),
		shown(ofFew),
		shown(ratio),
		verdict(ratio.median <= 2 && calls <= 3 && statements.length <= 9),
	]);
}
printTable(
	`Screens of ${MANY} images against ${FEW}`,
	["screen", "gzip bytes", "calls", "statements", "ms", "time", "3 calls, 9 statements, twice"],
	rows,
);
function bound(what: string, value: number, most: number): void {
	console.log(`${what}: ${value}, at most ${most}: ${verdict(value <= most)}`);
}

const bytesOf = Object.fromEntries(Object.values(consoleScripts).map(({ path, text }) => [path, sizeOf(text)]));
const bytesOfAll = (paths: readonly string[]) => paths.reduce((sum, path) => sum + (bytesOf[path] ?? 0), 0);
console.log("\nBytes of gzip");
bound("a grid of 60 pictures", gridBytes, 15_000);
bound("style sheet", sizeOf(consoleSheet.text), 8_000);
bound("all scripts", bytesOfAll(Object.keys(bytesOf)), 20_000);
bound("scripts of one screen", Math.max(...[...scriptsOf.values()].map(bytesOfAll)), 12_000);
bound("scripts of one screen, files", Math.max(...[...scriptsOf.values()].map(({ length }) => length)), 4);
await service.close();
