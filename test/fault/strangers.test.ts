import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Image } from "@svc/sdk/shapes";
import { noise } from "../support/pictures.ts";
import { removeData, type ServerProcess, startProcess } from "../support/process.ts";
import { addressOf, askFrom, countsOf, dearest, flood, thumbnails } from "../support/strangers.ts";

/* What strangers ask of an open transform host must not be what other visitors pay for. Counted, not timed; `test/bench/strangers.ts` is larger. */

const VISITOR = "203.0.113.9";
const LOOKS = 25;

let server: ServerProcess;
let url: string;

beforeAll(async () => {
	server = await startProcess({
		SVC_RENDER_CONCURRENCY: "2",
		SVC_KEY_RATE: "0",
		SVC_CREATE_RATE: "0",
		SVC_LOG: "error",
	});
	await server.ready();
	const body = new FormData();
	body.append("file", new Blob([await noise(3_000, 2_000)]), "a.jpg");
	const headers = { Authorization: `Bearer ${/svc_sk_test_\w{38}/.exec(server.stdout())?.[0]}` };
	const sent = await fetch(`${server.baseUrl}/v1/images`, { method: "POST", body, headers });
	({ url } = (await sent.json()) as Image);
	// Smaller copies are made after the answer.
	while ((await metric("svc_cdn_cache_entries")) < 2) await Bun.sleep(20);
});
afterAll(async () => {
	await server.stop();
	await removeData(server.dataDir);
});

async function metric(name: string): Promise<number> {
	const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
	return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1] ?? Number.NaN);
}

let salts = 0;

/** No test asks for what another one has had made. */
let blocks = 0;
function fresh(): () => string {
	return thumbnails([url], blocks++ * 1_000);
}

/** A visitor looks at one fresh thumbnail after the other. */
async function visit(next: () => string) {
	const answers = [];
	for (let look = 0; look < LOOKS; look++) answers.push(await askFrom(VISITOR, next()));
	return countsOf(answers);
}

describe.each([
	["one address", () => addressOf(0)],
	["twelve addresses", addressOf],
] as const)("twelve connections of %s", (_, from) => {
	test.each([true, false])(
		"that ask for the dearest forms (polite: %p) cost a visitor no thumbnail",
		async (polite) => {
			const forms = dearest([url]);
			const salt = ++salts;
			const strangers = flood({
				connections: 12,
				addressOf: from,
				nextUrl: () => `${forms()}&sharp=${salt / 10}`,
				polite,
			});
			await Bun.sleep(300);
			expect(await visit(fresh())).toEqual({ "200": LOOKS });
			const seen = countsOf(await strangers.stop());
			expect(Object.keys(seen).filter((status) => !["200", "503"].includes(status))).toEqual([]);
		},
	);
});

test("a network that asks for thumbnails without end costs another one none", async () => {
	const strangers = flood({
		connections: 24,
		addressOf: () => addressOf(1),
		nextUrl: fresh(),
		polite: false,
	});
	await Bun.sleep(300);
	expect(await visit(fresh())).toEqual({ "200": LOOKS });
	await strangers.stop();
});

test("a page of a hundred fresh pictures at once gets all of them", async () => {
	const next = fresh();
	const answers = await Promise.all(Array.from({ length: 100 }, () => askFrom(VISITOR, next())));
	expect(countsOf(answers)).toEqual({ "200": 100 });
});
