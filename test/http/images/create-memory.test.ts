import { expect, test } from "bun:test";
import type { ErrorBody } from "@svc/sdk/shapes";
import sharp from "sharp";
import { upload, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

/** The least that can be set, for all pictures that are worked on at once. */
const service = serviceFor({ SVC_RENDER_MEMORY: String(64 * 1_024 ** 2) });
const usual = serviceFor();

async function avif(side: number): Promise<Uint8Array<ArrayBuffer>> {
	const plain = sharp({ create: { width: side, height: side, channels: 3, background: "#369" } });
	return new Uint8Array(await plain.avif({ effort: 0, chromaSubsampling: "4:4:4" }).toBuffer());
}

test("what could never be decoded in the memory that pictures have is refused with the megapixels that could; with more memory it is taken", async () => {
	const [large, small] = [await avif(2_000), await avif(1_000)];
	const refused = await upload(service, large, "large.avif");
	expect(refused.status).toBe(422);
	const { error } = (await refused.json()) as ErrorBody;
	expect(error).toMatchObject({
		code: "validation_error",
		details: { file: ["has 4 megapixels; at most 3 for AVIF of this kind here"] },
	});
	expect(await uploaded(service, small, "small.avif")).toMatchObject({ width: 1_000 });
	expect(await uploaded(usual, large, "large.avif")).toMatchObject({ width: 2_000 });
});
