import { describe, expect, test } from "bun:test";
import { connectUser } from "../../support/apps.ts";
import { Browser } from "../../support/browser.ts";
import { signedIn } from "../../support/console.ts";
import { as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));

interface News {
	readonly after: string;
	readonly events: number;
	readonly images: number;
}

async function add(fields: Readonly<Record<string, string>> = {}, user?: string) {
	const caller = as(team.editor, team.appId);
	const headers = { ...caller.headers, ...(user !== undefined && { "X-Svc-User": user }) };
	return await uploaded(service, await plain(30, 20), "moth.png", fields, { ...caller, headers });
}

/** What the route answers to somebody of the team. */
async function ask(person: TestPerson, query = ""): Promise<News & { readonly status: number }> {
	const browser = await signedIn(service, person);
	const { status, html } = await browser.open(`/console/${team.appId}/live?${query}`);
	return { status, ...JSON.parse(html) };
}

describe("[C] what has happened to an App", () => {
	test("is told from where one begins, and counts what the list that is shown has of it", async () => {
		const { after, ...began } = await ask(team.viewer);
		expect(began).toEqual({ status: 200, events: 0, images: 0 });
		const user = await connectUser(service.database, { id: team.appId });
		await add({ labels: '{"album":"day"}' });
		await add({ labels: '{"album":"night"}' });
		await add({}, user.id);
		const count = async (query: string) => {
			const { events, images } = await ask(team.viewer, `after=${after}${query}`);
			return [events, images];
		};
		const found = await Promise.all(
			["", "&count=images", "&count=images&labels=album%3Dnight", `&count=images&storage=${user.id}`].map(count),
		);
		const brought = found[0]?.[0] ?? 0;
		expect(found).toEqual([
			[brought, 0],
			[brought, 2],
			[brought, 1],
			[brought, 1],
		]);
	});

	test("waits until something happens, and gives the place to wait from next", async () => {
		const { after } = await ask(team.viewer);
		const waiting = ask(team.viewer, `after=${after}&count=images`);
		await add();
		const news = await waiting;
		expect([news.images, news.after === after]).toEqual([1, false]);
		expect((await ask(team.viewer)).after).toBe(news.after);
	});

	test("of an App without any event is told as well", async () => {
		const own = await makeTeam(service, "Nothing yet");
		const browser = await signedIn(service, own.owner);
		const path = `/console/${own.appId}/live`;
		const { after } = JSON.parse((await browser.open(path)).html) as News;
		const waiting = browser.open(`${path}?after=${after}&count=images`);
		await uploaded(service, await plain(30, 20), "first.png", {}, as(own.owner, own.appId));
		expect(JSON.parse((await waiting).html)).toMatchObject({ events: 1, images: 1 });
	});

	test("is told to nobody else: 404 for another App's people, the sign-in for who is signed out", async () => {
		const stranger = await makeTeam(service, "Strangers");
		const path = `/console/${team.appId}/live`;
		expect((await (await signedIn(service, stranger.owner)).open(path)).status).toBe(404);
		const out = await new Browser(service).open(path);
		expect(out.forms.map(({ action }) => action).join()).toContain("/account/sign-in");
	});

	test("429 where more tabs of a session wait than the API lets wait", async () => {
		const { after } = await ask(team.viewer);
		const browser = await signedIn(service, team.viewer);
		const path = `/console/${team.appId}/live?after=${after}`;
		const waiting = Array.from({ length: 6 }, () => browser.open(path));
		const first = await Promise.race(waiting);
		expect([first.status, first.headers.get("retry-after")]).toEqual([429, "2"]);
		await add();
		const answered = await Promise.all(waiting);
		expect(answered.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 429]);
	});
});
