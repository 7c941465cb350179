import { afterAll, describe, expect, test } from "bun:test";
import { IMAGE, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

describe("info=json", () => {
	test("tells about the rendition what can be seen, and nothing of what was said with the upload", async () => {
		const { ask, finder } = await transformHost({
			image: {
				filename: "sick-note.pdf.jpg",
				caption: "Ada in Paris",
				labels: { place: "Paris" },
				metadata: { taken: "2026" },
				externalId: "ada-7",
			},
		});
		finder.there = { ...finder.there, faces: [{ left: 0.5, top: 0.5, width: 0.25, height: 0.5 }] };
		const response = await ask(".jpg?w=100&format=webp&info=json");
		expect(response.headers.get("content-type")).toBe("application/json");
		expect(response.headers.get("content-disposition")).toBe(`inline; filename="${IMAGE.id}.json"`);
		expect(response.headers.get("access-control-allow-origin")).toBe("*");
		expect(response.headers.get("cache-control")).toStartWith("public, max-age=300");
		expect(await response.json()).toEqual({
			object: "rendition_info",
			width: 100,
			height: 50,
			format: "webp",
			original: { width: 400, height: 200, format: "jpg", bytes: IMAGE.bytes, frames: 1, alpha: false },
			thumbhash: "3OcRJYB4d3h/iIeHeEh3eIhw+j2w",
			placeholder: expect.stringMatching(/^data:image\/webp;base64,/),
			colors: ["#336699"],
			faces: [{ x: 0.5, y: 0.5, w: 0.25, h: 0.5 }],
			focus: { x: 0.5, y: 0.5 },
		});
	});

	test("places are shares of the piece that is asked for; what lies outside of it is not told", async () => {
		const { ask, finder } = await transformHost();
		const faces = [
			{ left: 0.4, top: 0.5, width: 0.2, height: 0.5 },
			{ left: 0, top: 0, width: 0.2, height: 0.2 },
		];
		finder.there = { ...finder.there, faces, focus: { x: 0.1, y: 0.5 } };
		const info = await (await ask(".jpg?crop=200,0,200,200&info=json")).json();
		expect(info).toMatchObject({ width: 200, height: 200, faces: [{ x: 0, y: 0.5, w: 0.2, h: 0.5 }], focus: null });
	});

	test("is a version of its own, the same for addresses that mean the same", async () => {
		const { ask } = await transformHost();
		const etagOf = async (target: string, init?: RequestInit) => (await ask(target, init)).headers.get("etag");
		const info = await etagOf(".jpg?w=100&info=json");
		expect(info).not.toBe(await etagOf(".jpg?w=100"));
		expect(info).toBe(await etagOf(".jpg?info=json&w=50&dpr=2&dl=a"));
		expect(info).not.toBe(await etagOf(".jpg?info=json"));
		expect((await ask(".jpg?w=100&info=json", { headers: { "If-None-Match": info ?? "" } })).status).toBe(304);
		expect((await ask(".jpg?info=json", { method: "HEAD" })).headers.get("content-type")).toBe("application/json");
		expect((await ask(".jpg?info=xml")).headers.get("content-type")).toBe("image/jpeg");
	});

	test("what cannot be found is null, and looked for again", async () => {
		const { ask, finder, world } = await transformHost();
		finder.pace = async () => {
			throw new Error("no model");
		};
		const broken = await ask(".jpg?info=json");
		expect([broken.status, broken.headers.get("etag")]).toEqual([200, null]);
		expect(await broken.json()).toMatchObject({ width: 400, height: 200, thumbhash: null, faces: null, colors: null });
		finder.pace = async () => undefined;
		world.nowMs += 61_000;
		expect(await (await ask(".jpg?info=json")).json()).toMatchObject({ colors: ["#336699"], faces: [] });
	});

	test("of a drawing it is its size alone, and in an App of presets none that is not one", async () => {
		const { ask } = await transformHost({ image: { format: "svg" } });
		const { headers } = await ask(".svg?info=json");
		expect(headers.get("content-type")).toBe("application/json");
		expect(await (await ask(".svg?info=json")).json()).toMatchObject({ format: "svg", width: 400, placeholder: null });
		const strict = await transformHost();
		strict.world.app = { ...strict.world.app, policy: "presets" };
		strict.world.rules.presets.set("told", "w=9&info=json");
		expect((await strict.ask(".jpg?info=json")).status).toBe(403);
		expect(await (await strict.ask(".jpg?preset=told")).json()).toMatchObject({ width: 9 });
	});
});
