import { afterAll, describe, expect, test } from "bun:test";
import type { DeliveryPolicy } from "@svc/base/enumerations";
import { signedQuery } from "@svc/delivery/signature";
import { APP, NOW_MS, removeFolders, transformHost } from "@svc/test/support/transform-host";

afterAll(removeFolders);

const NOW = NOW_MS / 1_000;
const SECRET = "svc_sig_0123456789abcdefghijklmnopqrstuv000000";
const OTHER_SECRET = "svc_sig_other";

async function host(policy: DeliveryPolicy) {
	const fixture = await transformHost();
	const { world, address } = fixture;
	world.app = { ...APP, policy };
	world.rules = { presets: new Map([["thumb", "w=30&h=20&fit=cover"]]), secrets: ["svc_sig_old", SECRET] };
	/** What follows the image's id in a signed address. */
	const signed = (parameters = "", { exp = NOW + 3_600, secret = SECRET, end = ".jpg" } = {}) =>
		`${end}?${signedQuery(secret, `${address}${end}`, new URLSearchParams(parameters), exp)}`;
	const statuses = async (...targets: string[]) => {
		const answered: Record<string, number> = {};
		for (const target of targets) answered[target] = (await fixture.ask(target)).status;
		return answered;
	};
	const allAnswer = async (status: number, ...targets: string[]) =>
		expect(await statuses(...targets)).toEqual(Object.fromEntries(targets.map((target) => [target, status])));
	return { ...fixture, signed, allAnswer };
}

const PLAIN = [".jpg", ".webp", ".jpeg", ".jpg?size=s", ".png?size=m", ".jpg?size=l", ".jpg?size=social"];
const MEANS_THE_SAME = [".jpg?utm_source=mail", ".jpg?size=s&size=s", ".jpg?size=huge", ".jpg?dl=mine"];
/** Each names a parameter, whatever it does. */
const MORE = [
	".jpg?w=0",
	".jpg?format=jpg",
	".jpg?rotate=360",
	".jpg?size=s&w=300&fit=cover",
	".jpg?w=300",
	".jpg?size=s&blur=3",
	".jpg?format=webp",
	".webp?q=40",
	".jpg?metadata=keep",
	".jpg?tile=img_TQT69ZbHuwN4iFAAb71zxt",
];

describe("an App whose policy is open", () => {
	test("answers every address, and asks nobody about its presets for that", async () => {
		const { allAnswer, world } = await host("open");
		Object.defineProperty(world, "rules", {
			get() {
				throw new Error("asked");
			},
		});
		await allAnswer(200, ...PLAIN, ...MEANS_THE_SAME, ...MORE, ".jpg?w=9&exp=1&sig=wrong");
	});

	test("answers a preset, without what else is asked for, and ignores one that there is not", async () => {
		const { ask } = await host("open");
		const text = async (target: string) => await (await ask(target)).text();
		expect(await text(".jpg?preset=thumb")).toBe("pixels of fit=cover&h=20&w=30");
		expect(await text(".jpg?blur=9&preset=thumb")).toBe("pixels of fit=cover&h=20&w=30");
		expect(await text(".jpg?pres%65t=thumb")).toBe("pixels of fit=cover&h=20&w=30");
		expect(await text(".jpg?preset=none&w=9")).toBe("pixels of w=9");
	});

	test("ignores signatures, right or wrong: addresses are signed first, then the policy changes", async () => {
		const { ask, signed } = await host("open");
		const etag = (await ask(".jpg?w=9")).headers.get("etag");
		for (const target of [signed("w=9"), signed("w=9", { exp: 1 }), ".jpg?w=9&sig=x", ".jpg?exp=9&w=9"]) {
			const answer = await ask(target);
			expect([answer.status, answer.headers.get("etag")]).toEqual([200, etag]);
			expect(answer.headers.get("cache-control")).toStartWith("public, max-age=300, stale");
		}
	});
});

describe("an App whose policy is presets", () => {
	test("answers images as they are, the sizes that all have, its presets, and what is signed", async () => {
		const { allAnswer, signed } = await host("presets");
		await allAnswer(200, ...PLAIN, ...MEANS_THE_SAME, ".jpg?preset=thumb", ".webp?w=9&preset=thumb", signed("w=300"));
	});

	test("answers nothing else: 403, whether there is such an image or not", async () => {
		const { allAnswer, world, image, ask } = await host("presets");
		const refused = [...MORE, ".jpg?preset=none", ".jpg?preset=", ".jpg?preset=thumb&sig=x", ".jpg?size=s&exp=9"];
		await allAnswer(403, ...refused);
		world.image = undefined;
		await allAnswer(403, ...refused, `/${image.teamHash}/img_none.jpg?w=9`);
		await allAnswer(404, ".jpg", ".jpg?size=s", ".jpg?preset=thumb");
		const answer = await ask(".jpg?w=9");
		expect([answer.headers.get("cache-control"), answer.headers.get("access-control-allow-origin")]).toEqual([
			"no-store",
			"*",
		]);
		expect(await answer.json()).toMatchObject({ error: { type: "permission_error", code: "forbidden" } });
	});
});

describe("an App whose policy is signed", () => {
	test("answers what is signed, also an image as it is, a preset, another format, in whatever order", async () => {
		const { allAnswer, signed, ask } = await host("signed");
		const shuffled = signed("w=9&h=8&fit=cover").replace(
			/\?(.*)$/,
			(_, query) => `?${query.split("&").reverse().join("&")}`,
		);
		await allAnswer(200, signed(), signed("w=9"), signed("", { end: ".webp" }), signed("preset=thumb"), shuffled);
		await allAnswer(200, signed("unknown=1&w=9"), signed("w=9", { secret: "svc_sig_old" }), signed("a=1+2"));
		expect(await (await ask(signed("preset=thumb&w=9"))).text()).toBe("pixels of fit=cover&h=20&w=30");
	});

	test("answers nothing else", async () => {
		const { allAnswer, signed, world } = await host("signed");
		const good = signed("w=9");
		const sig = /sig=([\w-]+)/.exec(good)?.[1] ?? "";
		const refused = [
			...PLAIN,
			...MORE,
			".jpg?preset=thumb",
			signed("preset=none"),
			signed("w=9", { secret: OTHER_SECRET }),
			// Added, changed, missing, sent twice.
			`${good}&h=9`,
			good.replace("w=9", "w=10"),
			good.replace("w=9&", ""),
			`${good}&w=9`,
			`${good}&sig=${sig}`,
			`${good}&exp=${NOW + 3_600}`,
			good.replace(/&sig=.*/, ""),
			good.replace(/exp=\d+&/, ""),
			good.replace(/exp=\d+/, `exp=${NOW + 3_601}`),
			good.replace("exp=", "exp=0"),
			good.replace(".jpg", ".webp"),
			`${good}=`,
			good.slice(0, -1),
			good.replace(/sig=.*/, "sig="),
			// Its end has come, or is too far away.
			signed("w=9", { exp: NOW }),
			signed("w=9", { exp: NOW + 366 * 86_400 + 1 }),
		];
		await allAnswer(403, ...refused);
		await allAnswer(200, signed("w=9", { exp: NOW + 366 * 86_400 }), signed("w=9", { exp: NOW + 1 }));
		world.image = undefined;
		await allAnswer(403, ...refused);
		await allAnswer(404, good);
	});

	test("takes a name with an ampersand in it for one parameter, not for two", async () => {
		const { allAnswer, signed } = await host("signed");
		await allAnswer(403, signed("h=8&w=9").replace("h=8&w=9", "h=8%26w%3D9"));
		await allAnswer(403, signed("h=8&w=9").replace("h=8&w=9", "h%3D8%26w=9"));
	});

	test("says that an answer is good until its signature ends, at most", async () => {
		const { ask, signed } = await host("signed");
		const ages = [];
		for (const seconds of [1, 100, 300, 4_000]) {
			const target = signed("w=9", { exp: NOW + seconds });
			const answer = await ask(target);
			ages.push(answer.headers.get("cache-control"));
			const known = await ask(target, { headers: { "If-None-Match": answer.headers.get("etag") ?? "" } });
			expect([known.status, known.headers.get("cache-control")]).toEqual([304, ages.at(-1) as string]);
			const part = await ask(target, { headers: { Range: "bytes=0-1" } });
			expect([part.status, part.headers.get("cache-control")]).toEqual([206, ages.at(-1) as string]);
		}
		expect(ages).toEqual([
			"public, max-age=1",
			"public, max-age=100",
			"public, max-age=300",
			"public, max-age=300, stale-while-revalidate=60, stale-if-error=3700",
		]);
	});

	test("gives away nothing to who has a copy, an ETag or a part of it already", async () => {
		const { ask, signed, world } = await host("signed");
		const etag = (await ask(signed("w=9"))).headers.get("etag") ?? "";
		for (const headers of [{ "If-None-Match": etag }, { "If-Match": '"other"' }, { Range: "bytes=0-1" }]) {
			expect((await ask(".jpg?w=9", { headers: new Headers(headers) })).status).toBe(403);
		}
		const head = await ask(".jpg?w=9", { method: "HEAD" });
		expect([head.status, await head.text(), head.headers.get("cache-control")]).toEqual([403, "", "no-store"]);
		expect((await ask(".jpg?w=9", { method: "OPTIONS" })).status).toBe(204);
		world.nowMs += 3_600_000;
		expect((await ask(signed("w=9"), { headers: { "If-None-Match": etag } })).status).toBe(403);
	});

	test("keeps one rendition for all signed addresses of a form, and for the bare one", async () => {
		const { ask, signed, world, renderer } = await host("open");
		const bare = (await ask(".jpg?w=9")).headers.get("etag");
		world.app = { ...APP, policy: "signed" };
		for (const exp of [NOW + 5, NOW + 6, NOW + 7]) {
			expect((await ask(signed("w=9&tracking=1", { exp }))).headers.get("etag")).toBe(bare);
		}
		expect(renderer.asked).toEqual(["w=9"]);
	});
});

test("while the database is away the policy holds that was read last", async () => {
	const { ask, world, signed } = await host("signed");
	expect((await ask(signed("w=9"))).status).toBe(200);
	world.database = () => Promise.reject(new Error("no route to host"));
	expect((await ask(signed("w=9"))).status).toBe(200);
	expect((await ask(".jpg?w=9")).status).toBe(403);
});
