import type { Database } from "@svc/base/database/client";
import { newId } from "@svc/base/ids";
import { type SQL, sql } from "drizzle-orm";
import { addApp, type TestApp } from "./apps.ts";
import { Browser, type Shown } from "./browser.ts";
import { mailedFacts } from "./mail.ts";
import { send } from "./requests.ts";
import { madeBefore, type OpenService, serviceFor } from "./service.ts";

/* Hosted sign-in as an App and its user go through it. */

export const CALLBACK = "https://app.example.com/callback";

/** The one script of ours that pages about an account may load: it speaks with the browser about passkeys. */
export const PASSKEYS = /<script src="\/assets\/passkeys\.[0-9a-f]{16}\.js" defer=""><\/script>/;

/** Codes are sent as often as a test wants. */
export const SIGN_IN_UNLIMITED = { SVC_SIGN_IN_IP_RATE: "0", SVC_SIGN_IN_EMAIL_RATE: "0" } as const;

/** An App that people can sign in to. */
export async function addConnectApp(
	database: Database,
	name = "Sunday Hikers",
	callbacks: readonly string[] = [CALLBACK],
): Promise<TestApp> {
	const app = await addApp(database, name);
	await database.write([{ run: sql`UPDATE apps SET sign_in = 1 WHERE id = ${app.id}` }]);
	for (const uri of callbacks) await addCallback(database, app, uri);
	return app;
}

/** For the tests of a file: a service with an App that people can sign in to, and what those tests do again and again. */
export function hostedSignIn() {
	const service = serviceFor(SIGN_IN_UNLIMITED);
	const app = madeBefore(() => addConnectApp(service.database));
	let people = 0;
	return {
		service,
		app,
		/** An address that nobody has had yet. */
		someone: () => `person-${++people}@example.com`,
		browse: () => new Browser(service),
		set: (run: SQL) => service.database.write([{ run }]),
		/** The App reads the images of one of its users. */
		asUser: (userId: string, of = app) =>
			send(service, "GET", "/v1/images", undefined, { key: of.key, headers: { "X-Svc-User": userId } }),
	};
}

export async function addCallback(database: Database, app: Pick<TestApp, "id">, uri: string): Promise<void> {
	await database.write([
		{
			run: sql`INSERT INTO redirect_uris (id, app_pk, uri, created_ms)
				VALUES (${newId("red")}, (SELECT pk FROM apps WHERE id = ${app.id}), ${uri}, 0)`,
		},
	]);
}

interface Asked {
	readonly redirectUri?: string;
	readonly state?: string;
	readonly prompt?: string;
}

/** The address that an App sends its user to. */
export function connectLink(app: Pick<TestApp, "id">, { redirectUri = CALLBACK, state, prompt }: Asked = {}): string {
	const query = new URLSearchParams({ app: app.id, redirect_uri: redirectUri });
	if (state !== undefined) query.set("state", state);
	if (prompt !== undefined) query.set("prompt", prompt);
	return `/connect?${query}`;
}

/** The code in the newest mail to an address. */
export async function codeFor(database: Database, email: string): Promise<string> {
	const mail = (await mailedFacts(database, sql`recipient = ${email}`)).at(-1);
	if (!mail) throw new Error(`no mail to ${email}`);
	return String(mail.facts.code);
}

/** Another code than that one. */
export function wrong(code: string): string {
	return code === "000000" ? "000001" : "000000";
}

/** From the App's link to the form for the code, also of somebody who could go on without one. */
export async function toCode(browser: Browser, link: string, email: string): Promise<Shown> {
	const shown = await browser.open(link, { crossSite: true });
	const other = [...shown.links.values()].find((at) => at.startsWith("/connect?") && at.endsWith("&other=1"));
	const asked = other === undefined ? shown : await browser.open(other);
	return browser.follow(await browser.submit(asked, "/connect", { email }));
}

/** All the way: the answer that leads back to the App. */
export async function signInTo(service: OpenService, browser: Browser, link: string, email: string): Promise<Shown> {
	const asked = await toCode(browser, link, email);
	return browser.submit(asked, "/connect/code", { code: await codeFor(service.database, email) });
}

/** Signs in to the account page. */
export async function signInToAccount(service: OpenService, browser: Browser, email: string): Promise<Shown> {
	const asked = await browser.follow(
		await browser.submit(await browser.open("/account"), "/account/sign-in", { email }),
	);
	const answer = await browser.submit(asked, "/account/code", { code: await codeFor(service.database, email) });
	return browser.follow(answer);
}

/** The parameters that came back to the App. */
export function returned(answer: Shown): Readonly<Record<string, string>> {
	if (answer.status !== 303) throw new Error(`no redirect: ${answer.status} ${answer.title} ${answer.alerts.join()}`);
	return Object.fromEntries(new URL(answer.location).searchParams);
}

interface AuthContext {
	readonly object: string;
	readonly app: { readonly id: string; readonly name: string };
	readonly user: { readonly id: string; readonly email: string; readonly verified: boolean };
}

/** What an App's backend does with a code. */
export async function exchanged(service: OpenService, app: Pick<TestApp, "key">, code: string): Promise<AuthContext> {
	const answer = await send(service, "POST", "/v1/auth/exchange", { code }, { key: app.key });
	if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
	return (await answer.json()) as AuthContext;
}

/** An App's callback as it should be written: it looks at `error` first, then at `state`, and only then at `code`. */
export async function sampleCallback(
	address: string,
	expectedState: string,
	exchange: (code: string) => Promise<AuthContext>,
): Promise<{ readonly signedIn: AuthContext } | { readonly refused: string }> {
	const query = new URL(address).searchParams;
	const error = query.get("error");
	if (error !== null) return { refused: error };
	if (query.get("state") !== expectedState) return { refused: "state" };
	return { signedIn: await exchange(query.get("code") ?? "") };
}
