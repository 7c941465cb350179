import { beforeAll, expect, test } from "bun:test";
import { PARAMETER_LIST } from "@svc/images/transform/parameters";
import type { Image } from "@svc/sdk/shapes";
import sharp from "sharp";
import { corners } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { textsOf } from "../../support/transform-texts.ts";

/* The table alone says what is tried: its bounds, what lies just outside of them, and what is no value at all. */

const service = serviceFor();
let image: Image;

beforeAll(async () => {
	image = await uploaded(service, await corners(40, 20));
});

test.each(PARAMETER_LIST)(
	"$name: each bound, and each value beyond it, is answered with a picture",
	async ({ name, takes }) => {
		for (const text of textsOf(takes)) {
			const query = `${name}=${encodeURIComponent(text.toWellFormed())}`;
			const response = await service.open(`${image.url}?${query}`);
			expect([query, response.status]).toEqual([query, 200]);
			const bytes = new Uint8Array(await response.arrayBuffer());
			if (response.headers.get("content-type") === "application/json") expect(name).toBe("info");
			else expect((await sharp(bytes).metadata()).width).toBeGreaterThan(0);
		}
	},
);
