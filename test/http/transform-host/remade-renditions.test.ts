import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MENDS } from "@svc/images/transform/mends";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { plain } from "../../support/pictures.ts";
import { removeData } from "../../support/process.ts";
import { uploaded } from "../../support/requests.ts";
import { gifWithRights } from "../../support/rights.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { until } from "../../support/workers.ts";

let service: OpenService;
let dataDir: string;
beforeEach(async () => {
	dataDir = await mkdtemp(join(tmpdir(), "svc-remade-"));
	service = await openService({ SVC_DATA_DIR: dataDir });
});
afterEach(async () => {
	await service.close();
	await removeData(dataDir);
});

/** Has the service take the picture for one that no mend concerns, as every release before the mend did. */
async function asBefore({ id }: Image): Promise<void> {
	const nothing = JSON.stringify({ upTo: MENDS.length, has: [] });
	await service.database.write([
		{
			run: sql`INSERT INTO image_facts (blob_key, kind, value, found_ms)
				SELECT blob_key, 'mends', CAST(${nothing} AS BLOB), 0 FROM images WHERE id = ${id}`,
		},
	]);
}

/** The upgrade: nobody has looked at the picture yet, and the process that stored it is gone. */
async function upgrade(): Promise<void> {
	await service.database.write([{ run: sql`DELETE FROM image_facts WHERE kind = 'mends'` }]);
	await service.close();
	service = await openService({ SVC_DATA_DIR: dataDir });
}

const looked = async () =>
	(
		await service.database.read(() =>
			service.database.queries.values<[string]>(sql`SELECT CAST(value AS TEXT) FROM image_facts WHERE kind = 'mends'`),
		)
	).map(([value]) => (JSON.parse(value) as { has: string[] }).has);

test("what a GIF says about itself goes only where it is wanted", async () => {
	const { url } = await uploaded(service, await gifWithRights(), "a.gif");
	const says = async (query: string) =>
		(await (await service.open(`${url}?${query}`)).text()).includes("Rights of Ann");
	for (const format of ["gif", "webp"]) {
		expect(await says(`w=32&format=${format}`)).toBe(true);
		expect(await says(`w=32&format=${format}&metadata=keep`)).toBe(true);
		expect(await says(`w=32&format=${format}&metadata=none`)).toBe(false);
	}
});

test("a rendition of a release before is served until it is made anew, and only of a picture that a mend concerns", async () => {
	const pictures = [
		await uploaded(service, await gifWithRights(), "a.gif"),
		await uploaded(service, new Uint8Array(await plain(64, 48, "gif")), "b.gif"),
	];
	const addresses = pictures.flatMap(({ url }) => [url, `${url}?w=32`]);
	const etags = () => Promise.all(addresses.map(async (address) => (await service.open(address)).headers.get("ETag")));
	for (const picture of pictures) await asBefore(picture);
	const before = await etags();
	await upgrade();
	expect(await etags()).toEqual(before);
	await until(async () => (await looked()).length === pictures.length);
	const concerned = (place: number) => place === 1;
	await until(async () => (await etags())[1] !== before[1]);
	const after = await etags();
	expect(after.map((etag, place) => etag !== before[place])).toEqual(addresses.map((_, place) => concerned(place)));
	expect((await looked()).toSorted()).toEqual([[], ["rights", "XMP"]]);
});
