import { expect, test } from "bun:test";
import { chromiumNote, launchChromium, withoutChromium } from "../support/chromium.ts";
import { registryNote, startExample, withoutRegistry } from "../support/example.ts";
import { deleteByKeyboard, imagesOf, photo, walkGallery } from "../support/example-gallery.ts";
import { uploaded } from "../support/requests.ts";

test.skipIf(withoutChromium || withoutRegistry)(
	`[C] examples/express takes a picture from a form, shows it, and deletes what is its own${chromiumNote}${registryNote}`,
	async () => {
		await using example = await startExample("express");
		await using chromium = await launchChromium();
		const page = await walkGallery(chromium, example, "express");
		await deleteByKeyboard(page, "A lake");
		expect(await imagesOf(example, "express")).toEqual([]);

		const call = async (method: string, path: string, body?: FormData) => {
			const answer = await fetch(`${example.address}/photos${path}`, { method, ...(body && { body }) });
			return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
		};
		const form = new FormData();
		expect(await call("POST", "", form)).toEqual({ status: 400, body: { error: "Choose a picture first." } });
		form.append("file", new File([(await photo()).buffer], "Zürich.jpg"));
		form.append("caption", "A town");
		expect(await call("POST", "", form)).toMatchObject({ status: 201, body: { caption: "A town" } });
		expect((await imagesOf(example, "express")).map(({ filename }) => filename)).toEqual(["Zürich.jpg"]);
		expect(await call("GET", "")).toMatchObject({ status: 200, body: { photos: [{ caption: "A town" }], next: null } });

		const tooLarge = new FormData();
		tooLarge.append("file", new File([new Uint8Array(20_000_001)], "large.jpg"));
		expect(await call("POST", "", tooLarge)).toEqual({ status: 413, body: { error: "The picture is too large." } });
		const { id } = await uploaded(example.service, (await photo()).buffer, "other.jpg", {});
		expect((await call("DELETE", `/${id}`)).status).toBe(404);
		expect((await call("DELETE", "/img_nowhere")).status).toBe(404);
		expect((await example.service.api(`/v1/images/${id}`)).status).toBe(200);
	},
	120_000,
);
