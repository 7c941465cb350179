import { expect, test } from "bun:test";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

async function asked(url: string, headers: Record<string, string> = {}) {
	const answer = await service.open(url, { headers });
	return {
		status: answer.status,
		ignored: answer.headers.get("X-Svc-Ignored"),
		etag: answer.headers.get("ETag"),
		bytes: Buffer.from(await answer.arrayBuffer()).toString("base64"),
	};
}

test("a name that is no parameter changes nothing of a picture and is named in X-Svc-Ignored, again from what is kept [cdn.invalid-ignored]", async () => {
	const { url } = await uploaded(service, await plain(40, 30, "jpeg"));
	const good = await asked(`${url}?w=20`);
	expect(good).toMatchObject({ status: 200, ignored: null });
	for (let time = 0; time < 3; time++) {
		expect(await asked(`${url}?w=20&width=100`)).toEqual({ ...good, ignored: "width" });
		expect(await asked(`${url}?w=20`)).toEqual(good);
	}
	const known = { "If-None-Match": String(good.etag) };
	expect(await asked(`${url}?w=20&width=100`, known)).toMatchObject({ status: 304, ignored: "width" });
	expect(await asked(`${url}?w=20&sig=a&exp=1&dl=x`)).toMatchObject({ status: 200, ignored: null });
	expect((await asked(`${url}?height=1&width=2&height=3&%0d%0aX=1&a%20b&__proto__=1`)).ignored).toBe(
		"height, width, __proto__",
	);
});
