import { expect, test } from "bun:test";
import sharp from "sharp";
import { SCENES } from "../../gallery/scenes.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { until } from "../../support/workers.ts";

const service = serviceFor({ SVC_TUNING: "compact_after=3" });

const counted = async (of: string) =>
	Number(new RegExp(`^svc_cdn_compact_bytes_total{of="${of}"} (\\d+)$`, "m").exec(await metrics())?.[1] ?? 0);
const metrics = async () => await (await service.api("/metrics")).text();

/** How far two pictures are apart, 0 to 255 a channel and pixel. */
async function apart(one: Buffer, other: Buffer): Promise<number> {
	const [left, right] = await Promise.all([one, other].map((bytes) => sharp(bytes).removeAlpha().raw().toBuffer()));
	const sum = (left ?? Buffer.of()).reduce((all, value, place) => all + Math.abs(value - (right?.[place] ?? 0)), 0);
	return sum / (left?.length ?? 0);
}

test.each(["jpg", "webp", "avif"])(
	"what is asked for often comes in fewer bytes, as the same picture, under another ETag: %s",
	async (format) => {
		const before = [await counted("plain"), await counted("compact")] as const;
		const { url } = await uploaded(service, await SCENES.harbour.draw(), "harbour.jpg");
		const address = `${url}?w=480&format=${format}`;
		const ask = async () => {
			const answer = await service.open(address);
			return { etag: answer.headers.get("ETag") ?? "", bytes: Buffer.from(await answer.arrayBuffer()) };
		};
		const first = await ask();
		for (let turn = 0; turn < 2; turn++) expect((await ask()).etag).toBe(first.etag);
		// Answers that are kept are given again for half a minute.
		service.clock.advance(31_000);
		await until(async () => (await ask()).etag !== first.etag);
		const compact = await ask();
		expect([compact.bytes.length < 0.99 * first.bytes.length, (await apart(first.bytes, compact.bytes)) < 2]).toEqual([
			...[true, true],
		]);
		const known = await service.open(address, { headers: { "If-None-Match": compact.etag } });
		expect(known.status).toBe(304);
		// It is shown a moment before it is counted.
		await until(async () => (await counted("compact")) > before[1]);
		const since = [(await counted("plain")) - before[0], (await counted("compact")) - before[1]];
		expect(since).toEqual([first.bytes.length, compact.bytes.length]);
	},
);
