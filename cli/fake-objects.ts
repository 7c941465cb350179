/* What a healthy service answers with, for the tests of every command. */

export const FAKE_IMAGE = {
	id: "img_1",
	object: "image",
	url: "http://cdn.test/t/img_1.png",
	sizes: { small: { url: "http://cdn.test/t/img_1.png?size=s", width: 1, height: 1 } },
	filename: "cat.png",
	format: "png",
	width: 3,
	height: 2,
	bytes: 70,
	status: "ready",
	published_at: "2026-01-01T00:00:00.000Z",
	expires_at: null,
	created_at: "2026-01-01T00:00:00.000Z",
	caption: "A cat",
	metadata: {},
	labels: { album: "pets", "a.b": "dotted" },
	nsfw: false,
};

export function listOf(...data: readonly unknown[]): unknown {
	return { object: "list", data, pagination: { has_more: false, next_cursor: null, next_url: null } };
}
