import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Image } from "@svc/sdk/shapes";
import { addApp, type TestApp } from "../../support/apps.ts";
import { bmp, ico, svg } from "../../support/kept-as-is.ts";
import { removeData } from "../../support/process.ts";
import { send, uploaded } from "../../support/requests.ts";
import { openService } from "../../support/service.ts";

/* A data directory moves on from the interface that took formats which are never transformed. */

const MADE = { svg: () => svg(), bmp: () => bmp(900, 700), ico: () => ico(16, 32) };
const FORMATS = Object.keys(MADE) as readonly (keyof typeof MADE)[];

describe.each(["transition", "current", "legacy"])("from legacy to %s", (variant) => {
	let dataDir: string;
	let app: TestApp;
	const images = new Map<string, Image>();
	beforeAll(async () => {
		dataDir = await mkdtemp(join(tmpdir(), "svc-test-"));
		const before = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: "legacy" });
		app = await addApp(before.database);
		for (const format of FORMATS) {
			const file = new Uint8Array(await new Blob([await MADE[format]()]).arrayBuffer());
			images.set(format, await uploaded(before, file, `a.${format}`, {}, { key: app.key }));
		}
		await before.runJobs();
		await before.close();
	});
	afterAll(() => removeData(dataDir));

	test.each(FORMATS)(
		"an %s keeps its format, has no sizes, and is served as it is [image.fields.sizes-empty-untransformable]",
		async (format) => {
			const service = await openService({ SVC_DATA_DIR: dataDir, SVC_VARIANT: variant });
			const { id, url, width, height } = images.get(format) as Image;
			const answer = await send(service, "GET", `/v1/images/${id}`, undefined, { key: app.key });
			expect(await answer.json()).toMatchObject({ id, format, width, height, status: "ready" });
			const listed = await send(service, "GET", `/v1/images?ids=${id}`, undefined, { key: app.key });
			const { data } = (await listed.json()) as { data: Image[] };
			expect(data.map(({ sizes }) => sizes)).toEqual([{}]);
			const whole = await (await service.open(url)).bytes();
			expect(await (await service.open(`${url}?size=s`)).bytes()).toEqual(whole);
			await service.close();
		},
	);
});
