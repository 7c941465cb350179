import { afterAll, expect, test } from "bun:test";
import { removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

test("503 rather than faces, while they cannot be looked for; nothing of it is kept [cdn.blur-faces.unknown]", async () => {
	const { ask, finder, renderer, world } = await transformHost();
	finder.pace = async () => {
		throw new Error("no model");
	};
	for (const query of ["fx=blur-faces", "fx=blur-faces&w=9", "fx=blur-faces&frame=3"]) {
		const refused = await ask(`.jpg?${query}`);
		expect([query, refused.status, refused.headers.get("retry-after")]).toEqual([query, 503, "60"]);
		expect(refused.headers.get("cache-control")).toContain("no-store");
	}
	expect(renderer.asked).toEqual([]);
	finder.pace = async () => undefined;
	world.nowMs += 61_000;
	expect((await ask(".jpg?fx=blur-faces")).status).toBe(200);
	expect(renderer.aids.every_face).toEqual([]);
});

test("one frame of an animation is looked at for itself, and what is found in it counts for no other", async () => {
	const { ask, finder, analysis } = await transformHost({ image: { format: "gif" } });
	finder.there = { ...finder.there, header: { frames: 9, alpha: false } };
	for (const frame of [0, 1, 2]) expect((await ask(`.gif?fx=blur-faces&frame=${frame}`)).status).toBe(200);
	expect(finder.asked.filter((kind) => kind === "every_face")).toHaveLength(3);
	expect([...analysis.saved.keys()].filter((key) => key.startsWith("every_face"))).toHaveLength(3);
});
