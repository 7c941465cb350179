import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import { createServer } from "node:http";
import { createClient } from "@svc/sdk/client";
import * as express from "@svc/sdk/express";
import type { People, User } from "@svc/sdk/frameworks/people";
import * as hono from "@svc/sdk/hono";
import * as next from "@svc/sdk/next";
import type { TestApp } from "../support/apps.ts";
import { CALLBACK, connectLink, hostedSignIn, signInTo } from "../support/connect.ts";
import { send } from "../support/requests.ts";

/* The sign-in kit of the SDK, from the App's side and from the service's, as browsers and as attackers use it. */

const { service, app, someone, browse } = hostedSignIn();
const SECRET = "0123456789abcdef0123456789abcdef";
const PAGE = { accept: "text/html", "sec-fetch-mode": "navigate" };

afterEach(() => {
	setSystemTime();
});

function peopleOf({ key }: Pick<TestApp, "key"> = app, more: Partial<People> = {}): People {
	const client = createClient({ baseUrl: service.rooms.addresses.base, apiKey: key, fetch: service.open });
	return { client, redirectUri: CALLBACK, secret: SECRET, ...more };
}

/** A browser at the App: cookies, and what it is answered. */
class Visitor {
	readonly cookies = new Map<string, string>();
	readonly sent: string[] = [];

	async go(handler: (context: hono.HonoContext) => Promise<Response>, path: string, headers: object = PAGE) {
		const answer = await handler({ req: { raw: this.request(path, headers) }, set: () => undefined });
		this.keep(answer);
		return answer;
	}

	/** Who it is to `requireUser`, or what that answers. */
	async ask(people: People, path = "/", headers: object = PAGE, method = "GET"): Promise<User | Response> {
		let user: User | undefined;
		const set = (_: "user", value: User) => {
			user = value;
		};
		const answer = await hono.requireUser(people)(
			{ req: { raw: this.request(path, headers, method) }, set },
			async () => undefined,
		);
		if (answer) this.keep(answer);
		return answer ?? (user as unknown as User);
	}

	request(path: string, headers: object, method = "GET"): Request {
		const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
		return new Request(`https://app.example.com${path}`, { method, headers: { ...headers, cookie } });
	}

	keep(answer: Response): void {
		for (const line of answer.headers.getSetCookie()) {
			this.sent.push(line);
			const [pair = ""] = line.split(";");
			const at = pair.indexOf("=");
			if (line.includes("Max-Age=0")) this.cookies.delete(pair.slice(0, at));
			else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
		}
	}
}

const locationOf = (answer: Response) => answer.headers.get("location") ?? "";
const pathOf = (address: string) => new URL(address).pathname + new URL(address).search;

/** From the App to the service and back, all the way. */
async function signedIn(people: People, visitor: Visitor, path = "/sign-in"): Promise<Response> {
	const { email, browser } = { email: someone(), browser: browse() };
	const silent = await visitor.go(hono.signIn(people), path);
	const refused = await browser.open(pathOf(locationOf(silent)), { crossSite: true });
	const card = await visitor.go(hono.callback(people), pathOf(refused.location));
	const back = await signInTo(service, browser, pathOf(locationOf(card)), email);
	return await visitor.go(hono.callback(people), pathOf(back.location));
}

describe("signing in", () => {
	test("asks silently first, shows the card to who is a stranger, and leads to the page that was wanted", async () => {
		const people = peopleOf();
		const visitor = new Visitor();
		const refusal = (await visitor.ask(people, "/photos?page=2")) as Response;
		expect([refusal.status, locationOf(refusal)]).toEqual([303, "/sign-in?next=%2Fphotos%3Fpage%3D2"]);
		const silent = await visitor.go(hono.signIn(people), locationOf(refusal));
		expect(new URL(locationOf(silent)).searchParams.get("prompt")).toBe("none");
		const browser = browse();
		const refused = await browser.open(pathOf(locationOf(silent)), { crossSite: true });
		expect(new URL(refused.location).searchParams.get("error")).toBe("interaction_required");
		const card = await visitor.go(hono.callback(people), pathOf(refused.location));
		expect(new URL(locationOf(card)).searchParams.get("prompt")).toBeNull();
		const back = await signInTo(service, browser, pathOf(locationOf(card)), "maria@example.com");
		const done = await visitor.go(hono.callback(people), pathOf(back.location));
		expect([done.status, locationOf(done)]).toEqual([303, "/photos?page=2"]);
		expect(await visitor.ask(people)).toMatchObject({ email: "maria@example.com", verified: true });
		// Another browser window of the same person comes back without a page.
		const again = new Visitor();
		const link = await again.go(hono.signIn(people), "/sign-in");
		const straight = await browser.open(pathOf(locationOf(link)), { crossSite: true });
		expect(locationOf(await again.go(hono.callback(people), pathOf(straight.location)))).toBe("/");
		expect(await again.ask(people)).toMatchObject({ email: "maria@example.com" });
	});

	test("keeps who it is in a cookie that scripts, other hosts and unsafe connections never see", async () => {
		const visitor = new Visitor();
		await signedIn(peopleOf(), visitor);
		for (const line of visitor.sent)
			expect(line).toMatch(/^__Host-app_\w+=[\w-]*; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
		expect([...visitor.cookies.values()].join()).not.toContain("example.com");
		const local = peopleOf(app, { redirectUri: "http://localhost:8080/callback" });
		const answer = await hono.signIn(local)({
			req: { raw: new Request("http://localhost:8080/sign-in") },
			set: () => undefined,
		});
		expect(answer.headers.getSetCookie()[0]).toMatch(/^app_state_\w+=.+; HttpOnly; SameSite=Lax$/);
	});

	test.each([
		"//evil.example",
		"/\\evil.example",
		"https://evil.example/",
		"/.//evil.example",
		"\t//evil.example",
		"/sign-in?next=/",
		"/callback?code=1",
		"javascript:alert(1)",
		"/\t/evil.example",
		"",
	])("goes to no other place than a page of the App: %p", async (next) => {
		const done = await signedIn(
			peopleOf(app, { afterSignIn: "/home" }),
			new Visitor(),
			`/sign-in?next=${encodeURIComponent(next)}`,
		);
		expect(locationOf(done)).toBe("/home");
	});
});

describe("a callback", () => {
	test("that comes without the state of this browser signs nobody in: with none, another's, or an old one", async () => {
		const people = peopleOf();
		const [attacker, victim] = [new Visitor(), new Visitor()];
		const begun = await attacker.go(hono.signIn(people), "/sign-in");
		const state = new URL(locationOf(begun)).searchParams.get("state");
		const forged = `/callback?code=x&state=${state}`;
		expect((await victim.go(hono.callback(people), forged)).status).toBe(400);
		await victim.go(hono.signIn(people), "/sign-in");
		expect((await victim.go(hono.callback(people), forged)).status).toBe(400);
		const own = await victim.go(hono.signIn(people), "/sign-in");
		const mine = new URL(locationOf(own)).searchParams.get("state");
		setSystemTime(Date.now() + 3_601_000);
		expect((await victim.go(hono.callback(people), `/callback?code=x&state=${mine}`)).status).toBe(400);
		expect(await victim.ask(people)).toBeInstanceOf(Response);
	});

	test("that is sent a second time signs nobody in, and neither does a code that is used up", async () => {
		const people = peopleOf();
		const visitor = new Visitor();
		const browser = browse();
		const link = connectLink(app, { state: "s" });
		const back = await signInTo(service, browser, link, someone());
		const code = new URL(back.location).searchParams.get("code");
		await people.client.exchange(code ?? "");
		const begun = await visitor.go(hono.signIn(people), "/sign-in");
		const state = new URL(locationOf(begun)).searchParams.get("state");
		const address = `/callback?code=${code}&state=${state}`;
		expect((await visitor.go(hono.callback(people), address)).status).toBe(400);
		expect([...visitor.cookies]).toEqual([]);
		expect((await visitor.go(hono.callback(people), address)).status).toBe(400);
	});

	test("of somebody who says no ends on a page, and asks nobody again by itself", async () => {
		const people = peopleOf();
		const visitor = new Visitor();
		for (const error of ["access_denied", "temporarily_unavailable"]) {
			const begun = await visitor.go(hono.signIn(people), "/sign-in");
			const state = new URL(locationOf(begun)).searchParams.get("state");
			const answer = await visitor.go(hono.callback(people), `/callback?error=${error}&state=${state}`);
			expect([answer.status, answer.headers.get("content-security-policy")]).toEqual([
				403,
				"default-src 'none'; frame-ancestors 'none'",
			]);
			expect(await answer.text()).toContain('<a href="/sign-in">Sign in</a>');
		}
	});
});

describe("a session", () => {
	test("is no other App's, no other secret's, and nothing that somebody has changed", async () => {
		const people = peopleOf();
		const visitor = new Visitor();
		await signedIn(people, visitor);
		const [[name = "", value = ""] = []] = visitor.cookies;
		const others = [
			peopleOf(app, { redirectUri: "https://app.example.com/other" }),
			peopleOf(app, { secret: `${SECRET}0` }),
		];
		for (const other of others) {
			const mimic = new Visitor();
			const begun = await mimic.go(hono.signIn(other), "/sign-in");
			const [[theirs = ""] = []] = mimic.cookies;
			expect(begun.status).toBe(303);
			mimic.cookies.set(theirs.replace("state", "user"), value);
			expect(await mimic.ask(other)).toBeInstanceOf(Response);
		}
		for (const changed of [`A${value.slice(1)}`, `${value.slice(0, -2)}AA`, "", "e30", "%"]) {
			const mimic = new Visitor();
			mimic.cookies.set(name, changed);
			expect(await mimic.ask(people)).toBeInstanceOf(Response);
		}
		// What was sealed for the state of a sign-in is no session.
		const begun = new Visitor();
		await begun.go(hono.signIn(people), "/sign-in");
		const [[, sealed = ""] = []] = begun.cookies;
		begun.cookies.set(name, sealed);
		expect(await begun.ask(people)).toBeInstanceOf(Response);
		expect(await visitor.ask(people)).toMatchObject({ verified: true });
	});

	test("ends within a minute after somebody has left, asks the service once a minute, and ends after 30 days", async () => {
		let asked = 0;
		const people = peopleOf();
		const client = createClient({
			baseUrl: service.rooms.addresses.base,
			apiKey: app.key,
			fetch: (url, init) => {
				asked++;
				return service.open(url, init);
			},
		});
		const watched = { ...people, client };
		const visitor = new Visitor();
		await signedIn(watched, visitor);
		const before = asked;
		const user = (await visitor.ask(watched)) as User;
		expect(asked).toBe(before);
		setSystemTime(Date.now() + 60_001);
		await visitor.ask(watched);
		await visitor.ask(watched);
		expect(asked).toBe(before + 1);
		await service.database.write([
			{
				run: (await import("drizzle-orm"))
					.sql`UPDATE connections SET state = 'disconnecting' WHERE user_id = ${user.id}`,
			},
		]);
		setSystemTime(Date.now() + 60_001);
		expect(await visitor.ask(watched)).toBeInstanceOf(Response);
		expect([...visitor.cookies]).toEqual([]);
		const other = new Visitor();
		await signedIn(watched, other);
		setSystemTime(Date.now() + 31 * 86_400_000);
		expect(await other.ask(watched)).toBeInstanceOf(Response);
	});

	test("ends with signing out, for nobody who is sent there by another site; the next sign-in shows the card", async () => {
		const people = peopleOf();
		const visitor = new Visitor();
		await signedIn(people, visitor);
		const out = hono.signOut(people);
		for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://evil.example" }]) {
			expect((await visitor.go(out, "/sign-out", headers)).status).toBe(403);
			expect(await visitor.ask(people)).not.toBeInstanceOf(Response);
		}
		const done = await visitor.go(out, "/sign-out", { "sec-fetch-site": "same-origin" });
		expect([done.status, locationOf(done)]).toEqual([303, "/"]);
		expect(await visitor.ask(people)).toBeInstanceOf(Response);
		const begun = await visitor.go(hono.signIn(people), "/sign-in");
		expect(new URL(locationOf(begun)).searchParams.has("prompt")).toBe(false);
	});
});

describe("a visitor", () => {
	test("gets 401 as JSON for a fetch, and a redirect for a page or a form of one", async () => {
		const people = peopleOf(app, { signInPath: "/in" });
		const visitor = new Visitor();
		for (const headers of [
			{ accept: "*/*" },
			{ "sec-fetch-mode": "cors", accept: "text/html" },
			{ accept: "application/json" },
		]) {
			const answer = (await visitor.ask(people, "/photos", headers)) as Response;
			expect([answer.status, answer.headers.get("location")]).toEqual([401, null]);
			expect(await answer.json()).toMatchObject({ error: { code: "unauthorized" } });
		}
		for (const headers of [PAGE, { accept: "text/html,*/*;q=0.8" }]) {
			expect(locationOf((await visitor.ask(people, "/photos", headers)) as Response)).toBe("/in?next=%2Fphotos");
			expect(locationOf((await visitor.ask(people, "/photos", headers, "POST")) as Response)).toBe("/in");
		}
	});
});

test.each([
	{ secret: "short" },
	{ secret: undefined },
	{ redirectUri: "/callback" },
	{ signInPath: "//evil.example" },
	{ afterSignIn: "https://evil.example/" },
	{ client: undefined },
	{ strange: 1 },
])("people like %p are refused at once, by each function of each framework", async (fault) => {
	const people = { ...peopleOf(), ...fault } as unknown as People;
	for (const kit of [hono, express, next])
		for (const made of [kit.signIn, kit.callback, kit.signOut, kit.requireUser])
			expect(async () => made(people)).toThrow(TypeError);
	for (const kit of [express, next]) expect(() => kit.userLeft(people)).toThrow(TypeError);
});

test("Express: the same over node:http, with req.user, two cookies at once, and failures handed on", async () => {
	const people = peopleOf();
	const visitor = new Visitor();
	await signedIn(people, visitor);
	const seen: unknown[] = [];
	const server = createServer(async (request, response) => {
		const req = Object.assign(request, { originalUrl: request.url ?? "/", method: request.method ?? "GET" });
		const run = { "/sign-in": express.signIn, "/callback": express.callback, "/sign-out": express.signOut }[
			req.url ?? ""
		];
		const handler = (run ?? express.requireUser)(people);
		await handler(req, response, (error) => {
			seen.push(error ?? (req as { user?: User }).user?.id);
			response.end("on");
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const ask = (path: string, headers: Record<string, string>, method = "GET") =>
		fetch(`http://127.0.0.1:${port}${path}`, { method, headers, redirect: "manual" });
	try {
		expect((await ask("/photos", { accept: "application/json" })).status).toBe(401);
		expect((await ask("//", PAGE)).headers.get("location")).toStartWith("/sign-in");
		expect((await ask("/sign-in", PAGE)).headers.get("location")).toContain("/connect?app=app_");
		const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
		expect(await (await ask("/photos", { cookie })).text()).toBe("on");
		expect(seen).toEqual([expect.stringMatching(/^usr_/)]);
		expect((await ask("/sign-out", { cookie }, "POST")).headers.getSetCookie()).toHaveLength(3);
		expect((await ask("/callback", { cookie })).status).toBe(400);
	} finally {
		await new Promise((resolve) => server.close(resolve));
	}
});

/** What the service answers about somebody who is not connected, as the SDK throws it. */
const refusal = (people: People) =>
	people.client
		.forUser(`usr_${"0".repeat(22)}`)
		.images.list()
		.catch((error: unknown) => error);

test("Express: who has left is a visitor to userLeft, at once and without a cookie; other failures go on", async () => {
	const people = peopleOf();
	const visitor = new Visitor();
	await signedIn(people, visitor);
	const cookie = [...visitor.cookies].map((pair) => pair.join("=")).join("; ");
	const seen: unknown[] = [];
	const error = { "/left": await refusal(people), "/other": new Error("another") };
	const server = createServer((request, response) => {
		const req = Object.assign(request, { originalUrl: request.url ?? "/", method: request.method ?? "GET" });
		express.userLeft(people)(error[req.originalUrl as "/left"], req, response, (failure) => {
			seen.push(failure);
			response.end("on");
		});
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as { port: number };
	const ask = (path: string, headers: Record<string, string>) =>
		fetch(`http://127.0.0.1:${port}${path}`, { headers: { ...headers, cookie }, redirect: "manual" });
	try {
		const page = await ask("/left", PAGE);
		expect([page.status, page.headers.get("location")]).toEqual([303, "/sign-in?next=%2Fleft"]);
		expect(page.headers.getSetCookie()).toEqual([expect.stringContaining("Max-Age=0")]);
		expect((await ask("/left", { accept: "application/json" })).status).toBe(401);
		expect([await (await ask("/other", PAGE)).text(), seen]).toEqual(["on", [error["/other"]]]);
	} finally {
		await new Promise((resolve) => server.close(resolve));
	}
});

test("what the service refuses for another reason than leaving is no sign-out", async () => {
	const { key } = app;
	const people = peopleOf({ key });
	const visitor = new Visitor();
	await signedIn(people, visitor);
	expect((await send(service, "GET", "/v1/key", undefined, { key })).status).toBe(200);
	const broken = {
		...people,
		client: createClient({ baseUrl: service.rooms.addresses.base, apiKey: "svc_sk_test_none", fetch: service.open }),
	};
	expect(await visitor.ask(broken).catch((error: unknown) => error)).toMatchObject({
		status: 401,
		code: "unauthorized",
	});
});
