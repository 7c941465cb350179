import { beforeAll, describe, expect, test } from "bun:test";
import { PARAMETER_LIST, PARAMETERS } from "@svc/images/transform/parameters";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import sharp from "sharp";
import { addApp, type TestApp } from "../../support/apps.ts";
import { corners, plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { textsOf } from "../../support/transform-texts.ts";

/* Under the policy `presets` the addresses that need no signature have few answers, whatever their queries hold. */

const service = serviceFor({ SVC_VARIANT: "current" });
const EXTENSIONS = ["jpg", "png", "webp", "gif", "svg"];
const SIZES = PARAMETERS.size.takes.values;

const moving = async () => {
	const frames = await Promise.all([plain(20, 30), plain(20, 30, "jpeg"), corners(20, 30)]);
	return await sharp(frames, { join: { animated: true } })
		.gif()
		.toBuffer();
};

const MASTERS: Readonly<Record<string, () => Promise<BlobPart>>> = {
	jpg: () => plain(30, 20, "jpeg"),
	png: async () =>
		await sharp({ create: { width: 30, height: 20, channels: 4, background: "#ff000080" } })
			.png()
			.toBuffer(),
	gif: moving,
};

let app: TestApp;
beforeAll(async () => {
	app = await addApp(service.database);
	await service.database.write([{ run: sql`UPDATE apps SET delivery = 'presets' WHERE id = ${app.id}` }]);
});

/** More than there are answers. */
const COLOURS = Array.from({ length: 32 }, (_, place) => `#${(place * 7_919).toString(16).padStart(6, "0")}`);

/** Each parameter with a value that is right and one that is wrong, alone and beside a size; of colours many, each of which is seen. */
const QUERIES = PARAMETER_LIST.flatMap(({ name, takes }) => {
	const [right = ""] = takes.kind === "whole" ? [String(takes.min)] : textsOf(takes);
	const texts = takes.kind === "colour" ? [right, ...COLOURS] : [right];
	const sent = [...texts, "bogus"].map((text) => `${name}=${encodeURIComponent(text)}`);
	return [...sent, `size=s&${sent[0]}`, `${sent[0]}&unknown=1`];
});

describe.each(Object.entries(MASTERS))("of a master in %s", (format, make) => {
	test("at most as many answers as there are sizes and formats are given without a signature", async () => {
		const { url } = await uploaded(service, await make(), `a.${format}`, {}, { key: app.key });
		const address = (url as Image["url"]).replace(/\.\w+$/, "");
		const answers = new Set<string>();
		for (const extension of EXTENSIONS) {
			for (const query of ["", ...SIZES.map((size) => `size=${size}`), ...QUERIES]) {
				const answer = await service.open(`${address}.${extension}?${query}`);
				if (answer.status !== 200) continue;
				answers.add(Bun.hash(await answer.arrayBuffer()).toString());
			}
		}
		expect(answers.size).toBeGreaterThan(0);
		expect(answers.size).toBeLessThanOrEqual((SIZES.length + 1) * EXTENSIONS.length);
	});
});

test("403 for a parameter that is named, whatever its value, and 200 for a size, a download and names that mean nothing", async () => {
	const { url } = await uploaded(service, await corners(30, 20), "a.png", {}, { key: app.key });
	const statusOf = async (query: string) => (await service.open(`${url}?${query}`)).status;
	for (const query of ["", "size=s", "size=huge", "dl=a", "dl=", "utm_source=x&size=m&v=2"]) {
		expect([query, await statusOf(query)]).toEqual([query, 200]);
	}
	const other = PARAMETER_LIST.map(({ name }) => name).filter((name) => name !== "size" && name !== "dl");
	for (const name of other) {
		for (const query of [name, `${name}=`, `${name}=bogus`, `size=s&${name}=1`]) {
			expect([query, await statusOf(query)]).toEqual([query, 403]);
		}
	}
});
