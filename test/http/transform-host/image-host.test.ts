import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { App, Event, Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { type Dns, openDns } from "../../support/dns.ts";
import { mailedFacts } from "../../support/mail.ts";
import { addSession, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { ask, makeKey, makeTeam } from "../../support/teams.ts";

/* Hosts of Apps of their own for their images: current interface, and a DNS server that answers as it is told to. */

const DAY_MS = 86_400_000;
const CDN = "https://i.svc.example";
const OWN: Readonly<Record<string, string>> = {
	SVC_VARIANT: "current",
	SVC_BASE_URL: "https://api.svc.example",
	SVC_WEB_URL: "https://www.svc.example",
	SVC_CDN_URL: CDN,
	SVC_LISTEN: "127.0.0.1:0",
};

let dns: Dns;
let service: OpenService;
let file: Buffer<ArrayBuffer>;
beforeAll(async () => {
	dns = await openDns();
	service = await openService({ ...OWN, SVC_DNS_SERVER: dns.address });
	file = await plain(900, 600, "jpeg");
});
afterAll(async () => {
	await service.close();
	dns.close();
});

let hosts = 0;
/** One that no other test has. */
const aHost = () => `img${++hosts}.shop.example`;

type Host = NonNullable<App["image_host"]>;

async function openShop() {
	const team = await makeTeam(service);
	const { secret: key } = await makeKey(service, team.owner, team.path);
	const image = await uploaded(service, file, "a.jpg", {}, { key });
	const own = (body: Readonly<Record<string, unknown>>) => body.image_host as Host;
	const want = async (host: string | null) =>
		own((await ask(service, team.owner, "PATCH", team.path, { image_host: host })).body);
	const verify = async () => own((await ask(service, team.admin, "POST", `${team.path}/image_host/verify`)).body);
	const now = async () => own((await ask(service, team.viewer, "GET", team.path)).body);
	const read = async () =>
		(await (await send(service, "GET", `/v1/images/${image.id}`, undefined, { key })).json()) as Image;
	/** With its record there. */
	const have = async (host: string) => {
		const { record } = await want(host);
		dns.set(record.name, record.value);
		expect(await verify()).toEqual({ host, state: "verified", record });
	};
	return { ...team, key, image, want, verify, now, read, have };
}

async function lettersAbout(host: string) {
	const letters = await mailedFacts(service.database, sql`template = 'image_host_lost'`);
	return letters.map(({ facts }) => facts).filter((facts) => facts.host === host);
}

const statusOf = async (url: string, headers: Readonly<Record<string, string>> = {}) =>
	(await service.open(url, { headers })).status;
const at = (url: string, host: string) => url.replace(new URL(url).host, host);
/** A host that is asked for by Caddy, which stands beside the service. */
const asked = (domain: string, headers: Readonly<Record<string, string>> = {}) =>
	statusOf(`http://127.0.0.1:1234/tls/ask?domain=${encodeURIComponent(domain)}`, headers);

describe("an App's own image host", () => {
	test("is pending until its record is seen, which is looked for at once and when somebody asks", async () => {
		const shop = await openShop();
		const host = aHost();
		const pending = await shop.want(`${host.toUpperCase()}.`);
		expect(pending).toEqual({
			host,
			state: "pending",
			record: { type: "TXT", name: `_svc.${host}`, value: expect.stringMatching(/^svc-app=[\w-]{32}$/) },
		});
		expect(dns.questions.at(-1)).toBe(`_svc.${host}`);
		expect((await shop.verify()).state).toBe("pending");
		expect((await shop.read()).url).toStartWith(`${CDN}/`);
		expect(await statusOf(at(shop.image.url, host))).toBe(421);
		dns.set(pending.record.name, "v=spf1 -all", `${pending.record.value}x`);
		expect((await shop.verify()).state).toBe("pending");
		dns.set(pending.record.name, "v=spf1 -all", "x".repeat(600), pending.record.value);
		expect((await shop.verify()).state).toBe("verified");
		// The value is the App's: where it stands already, another host of its own is verified by being set.
		dns.set(`_svc.two.${host}`, pending.record.value);
		expect(await shop.want(`two.${host}`)).toMatchObject({ host: `two.${host}`, state: "verified" });
	});

	test("once verified is in url, sizes, events, signed addresses and zips, and the old host keeps serving", async () => {
		const shop = await openShop();
		const host = aHost();
		await shop.have(host);
		const { url, sizes } = await shop.read();
		expect(url).toBe(at(shop.image.url, host));
		expect(sizes.small?.url).toBe(`${url}?size=s`);
		const again = await uploaded(service, file, "b.jpg", {}, { key: shop.key });
		expect(new URL(again.url).host).toBe(host);
		const feed = await send(service, "GET", "/v1/events?types=image.*", undefined, { key: shop.key });
		const events = ((await feed.json()) as { data: readonly Event[] }).data;
		for (const { data } of events) expect(new URL(String((data.object as { url?: string }).url)).host).toBe(host);
		expect(events).not.toBeEmpty();
		const sign = { parameters: { w: "50" }, expires_in: 60 };
		const signed = await send(service, "POST", `/v1/images/${shop.image.id}/sign`, sign, { key: shop.key });
		const address = ((await signed.json()) as { url: string }).url;
		expect(new URL(address).host).toBe(host);
		await ask(service, shop.owner, "PATCH", shop.path, { delivery: "signed" });
		for (const one of [address, at(address, new URL(CDN).host)]) expect(await statusOf(one)).toBe(200);
		expect(await statusOf(url)).toBe(403);
		await ask(service, shop.owner, "PATCH", shop.path, { delivery: "open" });
		for (const one of [url, shop.image.url, `${url}?w=90`, `${shop.image.url}?w=90`])
			expect(await statusOf(one)).toBe(200);
	});

	test("has nothing but the pictures of its own App: no page, no API, no cookie, nobody else's", async () => {
		const [shop, other] = [await openShop(), await openShop()];
		const host = aHost();
		await shop.have(host);
		for (const query of ["", "?w=80", "?w=80"]) {
			const picture = await service.open(`${at(shop.image.url, host.toUpperCase())}${query}`);
			expect(picture.status).toBe(200);
			expect(picture.headers.get("set-cookie")).toBeNull();
			expect(picture.headers.get("access-control-allow-origin")).toBe("*");
			expect(picture.headers.get("strict-transport-security")).toBe("max-age=31536000");
		}
		// Kept in memory by now, under both hosts.
		for (const query of ["?w=81", "?w=81", "?w=81"]) {
			expect(await statusOf(`${other.image.url}${query}`)).toBe(200);
			expect(await statusOf(`${at(other.image.url, host)}${query}`)).toBe(404);
		}
		for (const path of [
			"/",
			"/account",
			"/console",
			"/docs",
			"/robots.txt",
			"/v1/images",
			"/openapi.json",
			"/connect",
		]) {
			const answer = await service.open(`https://${host}${path}`);
			expect([path, answer.status, await answer.text()]).toEqual([
				path,
				404,
				expect.not.stringContaining("api.svc.example"),
			]);
		}
		for (const strange of ["other.shop.example", `x.${host}`, `${host}:8443`]) {
			expect(await statusOf(at(shop.image.url, strange))).toBe(421);
		}
	});

	test("is never one of these, whatever the case", async () => {
		const shop = await openShop();
		const deep = Array(4).fill("a".repeat(60)).join(".");
		// No more than this many a minute by one person.
		const askers = [shop, await openShop(), await openShop()];
		const refused = [
			...["", " ", "com", "CO.UK", "localhost", "printer.local", "a..example.com", ".example.com", "-a.example.com"],
			...["127.0.0.1", "0x7f.1", "2130706433", "[::1]", "::1", "1.2.3.4.", "img.example.com:443", "img.example.com:"],
			...["https://img.example.com", "img.example.com/a", "a@img.example.com", "*.example.com", "img_1.example.com"],
			...["i.svc.example", "I.svc.example.", "x.www.svc.example", "api.svc.example"],
			...[`${deep}.${"b".repeat(10)}.com`, "é".repeat(200), "a b.example.com", "img.example.com."].slice(0, 3),
		];
		for (const [place, host] of refused.entries()) {
			const { owner, path } = askers[Math.floor(place / 15)] ?? shop;
			const { status, details } = await ask(service, owner, "PATCH", path, { image_host: host });
			expect([host, status, Object.keys(details)]).toEqual([host, 422, ["image_host"]]);
		}
		const next = await openShop();
		for (const sent of [5, [], {}, true, "a".repeat(5_000)]) {
			expect((await ask(service, next.owner, "PATCH", next.path, { image_host: sent })).status).toBe(422);
		}
		expect(await shop.now()).toBeNull();
		expect((await next.want("Bücher.Example")).host).toBe("xn--bcher-kva.example");
		expect((await ask(service, next.admin, "PATCH", next.path, { image_host: null })).status).toBe(403);
		expect(await next.want(null)).toBeNull();
		expect((await ask(service, shop.admin, "POST", `${shop.path}/image_host/verify`)).code).toBe("state_conflict");
	});

	test("goes to another App at once when that one's record is seen and its own is not, and to no two at once", async () => {
		const [one, two, three] = [await openShop(), await openShop(), await openShop()];
		const host = aHost();
		await one.have(host);
		const [first, second] = [await one.now(), await two.want(host)];
		expect(second.record.value).not.toBe(first.record.value);
		expect((await two.verify()).state).toBe("pending");
		dns.set(first.record.name, first.record.value, second.record.value);
		expect((await two.verify()).state).toBe("pending");
		expect(await statusOf(at(one.image.url, host))).toBe(200);
		const third = await three.want(host);
		dns.set(first.record.name, second.record.value, third.record.value);
		await Promise.all([two, three, two, three].map(({ verify }) => verify()));
		const held = [await two.now(), await three.now()].map(({ state }) => state).sort();
		expect(held).toEqual(["pending", "verified"]);
		expect((await one.now()).state).toBe("lost");
		expect((await one.read()).url).toStartWith(`${CDN}/`);
		expect(await statusOf(at(one.image.url, host))).toBe(404);
		expect(await lettersAbout(host)).toHaveLength(2);
		// The third one has the host, and nobody who only says so.
		dns.set(first.record.name, first.record.value);
		expect((await one.verify()).state).toBe("verified");
	});

	test("is lost after three days without its record, with a letter, and is back with it", async () => {
		const shop = await openShop();
		const host = aHost();
		await shop.have(host);
		const { record } = await shop.now();
		const daily = async (days: number) => {
			service.clock.advance(days * DAY_MS + 60_000);
			while ((await service.lookAtImageHosts()) > 0);
			return (await shop.now()).state;
		};
		for (const how of ["silent", "failing"] as const) {
			dns.become(how);
			dns.set(record.name);
			expect(await daily(4)).toBe("verified");
		}
		dns.become("well");
		for (const state of ["verified", "verified", "verified", "lost", "lost"])
			expect(await daily(1)).toBe(state as Host["state"]);
		expect(await lettersAbout(host)).toEqual(
			Array(2).fill({ app: "Pictures", host, page: `https://www.svc.example/console/${shop.appId}/delivery` }),
		);
		expect((await shop.read()).url).toStartWith(`${CDN}/`);
		expect(await statusOf(at(shop.image.url, host))).toBe(421);
		expect(await asked(host)).toBe(404);
		dns.set(record.name, record.value);
		expect(await daily(1)).toBe("verified");
		expect(await statusOf(at(shop.image.url, host))).toBe(200);
		const { body } = await ask(service, shop.admin, "GET", `${shop.path}/audit?event=app.image_host_lost`);
		expect(body.data as readonly object[]).toHaveLength(1);
		service.clock.advance(-14 * DAY_MS);
	});

	test("is nobody's for 30 days after its App's end", async () => {
		const [shop, next] = [await openShop(), await openShop()];
		const host = aHost();
		await shop.have(host);
		const path = `${shop.path}?confirm_name=Pictures`;
		expect((await send(service, "DELETE", path, undefined, as(shop.owner))).status).toBe(202);
		expect(await statusOf(at(shop.image.url, host))).toBe(421);
		expect(await asked(host)).toBe(404);
		const { record } = await next.want(host);
		dns.set(record.name, record.value);
		expect((await next.verify()).state).toBe("pending");
		service.clock.advance(31 * DAY_MS);
		while ((await service.lookAtImageHosts()) > 0);
		expect(await statusOf(at(next.image.url, host))).toBe(200);
		service.clock.advance(-31 * DAY_MS);
	});

	test("is among the hosts that the console shows pictures of, and no other App's is", async () => {
		const [shop, other] = [await openShop(), await openShop()];
		const [host, another] = [aHost(), aHost()];
		await shop.have(host);
		await other.have(another);
		const Cookie = `__Host-session=${await addSession(service.database, shop.owner.id, { kind: "web" })}`;
		const policyOf = async (path: string) => {
			const page = await service.open(`https://www.svc.example/console/${shop.appId}/${path}`, { headers: { Cookie } });
			expect([path, page.status]).toEqual([path, 200]);
			const policy = page.headers.get("content-security-policy") ?? "";
			return [policy.split("; ").find((part) => part.startsWith("img-src")), await page.text()] as const;
		};
		for (const path of ["images", `images/${shop.image.id}`, "delivery"]) {
			const [pictures, html] = await policyOf(path);
			expect(pictures).toContain(` https://${host}`);
			expect(pictures).not.toContain(another);
			if (path.startsWith("images/")) expect(html).toContain(`https://${host}/`);
		}
		await shop.want(null);
		const [pictures, html] = await policyOf("images");
		expect(`${pictures}${html}`).not.toContain(host);
	});

	test("asks the DNS for nothing while pictures and addresses are served", async () => {
		const shop = await openShop();
		await shop.have(aHost());
		const before = dns.questions.length;
		for (let turn = 0; turn < 3; turn++) await service.open((await shop.read()).url);
		await asked("nobody.example");
		expect(dns.questions).toHaveLength(before);
	});
});

describe("GET /tls/ask", () => {
	test("is 200 for verified hosts alone, on any Host, to loopback and trusted proxies", async () => {
		const shop = await openShop();
		const host = aHost();
		await shop.want(host);
		expect(await asked(host)).toBe(404);
		await shop.have(host);
		expect(await asked(host)).toBe(200);
		expect(await asked(`${host.toUpperCase()}.`)).toBe(200);
		for (const strange of ["", `x.${host}`, "i.svc.example", "*.shop.example", `${host}:443`, "a".repeat(9_000)]) {
			expect(await asked(strange)).toBe(404);
		}
		expect(await statusOf(`https://${host}/tls/ask?domain=${host}`)).toBe(200);
		expect(await asked(host, { "X-Forwarded-For": "127.0.0.1" })).toBe(200);
		for (const from of ["203.0.113.9", "127.0.0.1, 203.0.113.9", "10.0.0.1"]) {
			expect(await asked(host, { "X-Forwarded-For": from })).toBe(404);
		}
		expect((await service.open(`http://127.0.0.1/tls/ask?domain=${host}`, { method: "POST" })).status).toBe(405);
	});
});
