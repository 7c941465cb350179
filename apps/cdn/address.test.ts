import { describe, expect, test } from "bun:test";
import { parseAddress } from "./address.ts";

const ORIGIN = "http://cdn.example:3001";

describe("an address", () => {
	test("is a team hash, an image id, an extension and a raw query", () => {
		expect(parseAddress(`${ORIGIN}/team/img_1.webp?w=100&background=%23fff`)).toEqual({
			path: "/team/img_1.webp",
			teamHash: "team",
			imageId: "img_1",
			extension: "webp",
			query: "w=100&background=%23fff",
		});
	});

	test.each(["jpg", "png", "webp", "avif", "gif", "svg", "bmp", "ico"] as const)("may end in .%s", (extension) => {
		expect(parseAddress(`${ORIGIN}/team/img_1.${extension}`)?.extension).toBe(extension);
	});

	test("may spell jpg as jpeg", () => {
		expect(parseAddress(`${ORIGIN}/team/img_1.jpeg`)?.extension).toBe("jpg");
	});

	test.each([
		"/",
		"/team",
		"/team/",
		"/team/img_1",
		"/team/img_1.",
		"/team/img_1.exe",
		"/team/img_1.JPG",
		"/team/img_1.jpg/",
		"/team/img_1.jpg.png",
		"/team/more/img_1.jpg",
		"//img_1.jpg",
		"/team/.jpg",
		"/team/%69mg_1.jpg",
		"/team%2Fimg_1.jpg",
		"/%zz/img_1.jpg",
		`/${"t".repeat(65)}/img_1.jpg`,
		`/team/${"i".repeat(65)}.jpg`,
	])("is not %s", (path) => {
		expect(parseAddress(`${ORIGIN}${path}`)).toBeUndefined();
	});

	test("with a query that nobody can have meant asks for nothing", () => {
		expect(parseAddress(`${ORIGIN}/team/img_1.jpg?${"w=1&".repeat(5000)}`)?.query).toBe("");
	});
});
