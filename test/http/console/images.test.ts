import { describe, expect, test } from "bun:test";
import { connectUser, lockImage, setImageStatus } from "../../support/apps.ts";
import { Browser, type Shown } from "../../support/browser.ts";
import { codeFor } from "../../support/connect.ts";
import { formOf, postFile, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";

/* The console without a script: links and forms alone. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const images = () => `/console/${team.appId}/images`;

async function addPicture(name: string, fields: Readonly<Record<string, string>> = {}) {
	return await uploaded(service, await plain(40, 30), name, fields, as(team.editor, team.appId));
}

/** The form of a page, sent as it is but for what is typed into it. */
async function act(browser: Browser, page: Shown, name: string, typed: Readonly<Record<string, string>> = {}) {
	const { action, fields } = formOf(page, name);
	return await browser.post(new URL(action, page.url).href, { ...fields, ...typed });
}

/** For browsers in which no script runs. */
const ASKS_AGAIN = '<noscript><meta http-equiv="refresh" content="2"/></noscript>';

/** File names on a page, in their order. */
function filesOn({ html }: Shown): readonly string[] {
	return [...html.matchAll(/class="file"><bdi>([^<]*)</g)].map(([, name = ""]) => name);
}

/** Signs in by the code that is mailed; returns where that leads. */
async function signInAt(address: string): Promise<string> {
	const browser = new Browser(service);
	const page = await browser.open(address);
	const { email } = team.owner;
	const sent = await browser.submit(page, "/account/sign-in", { email });
	const code = await browser.follow(sent);
	return (await browser.submit(code, "/account/code", { code: await codeFor(service.database, email) })).location;
}

describe("who signs in", () => {
	test("comes back to the very screen that they asked for, filter and all", async () => {
		const address = `${images()}?labels=album%3Dsummer&order=asc`;
		expect(await signInAt(address)).toBe(address);
	});

	test("is led nowhere else by an address that only looks like one of the console", async () => {
		const browser = new Browser(service);
		const page = await browser.open("/console");
		for (const to of [
			"//evil.example/",
			"/\\evil.example",
			"/consolex",
			"https://evil.example/console",
			"/console/\n",
		]) {
			const { fields } = page.forms.find(({ action }) => action.includes("/account/sign-in")) ?? { fields: {} };
			const sent = await browser.post(`/account/sign-in?${new URLSearchParams({ to })}`, { ...fields, email: "" });
			const action = sent.forms.find((form) => form.action.includes("/account/sign-in"))?.action;
			expect([to, action]).toEqual([to, "/account/sign-in"]);
		}
	});

	test("sees their Apps and makes one, which two clicks on the form do not double", async () => {
		const browser = await signedIn(service, team.owner);
		const page = await browser.open("/console");
		expect(page.links.get("Moth Garden")).toBe(`/console/${team.appId}`);
		const [first, second] = [
			await act(browser, page, "create", { name: "Second App" }),
			await act(browser, page, "create", { name: "Second App" }),
		];
		expect(first.status).toBe(303);
		expect(second.location).toBe(first.location);
		const refused = await act(browser, page, "create", { name: " ".repeat(300), number: "another" });
		expect([refused.status, refused.html.includes('aria-invalid="true"')]).toEqual([422, true]);
	});
});

describe("the pictures of an App", () => {
	test("are listed, narrowed by a label and paged by links alone; back leads to the same filter and place", async () => {
		for (let made = 0; made < 63; made++) await addPicture(`summer-${made}.png`, { labels: '{"album":"summer"}' });
		await addPicture("winter.png", { labels: '{"album":"winter"}' });
		const browser = await signedIn(service, team.viewer);
		const all = await browser.open(images());
		const facet = all.links.get("album=summer 63");
		const first = await browser.open(facet ?? "");
		expect(filesOn(first)).toHaveLength(60);
		expect(new URL(first.url).searchParams.get("labels")).toBe("album=summer");
		const second = await browser.open(first.links.get("Next") ?? "");
		expect(filesOn(second)).toEqual(["summer-2.png", "summer-1.png", "summer-0.png"]);
		const picture = await browser.open(second.links.get("summer-1.png") ?? "");
		expect(picture.title).toStartWith("summer-1.png");
		expect(filesOn(await browser.open(picture.links.get("← Images") ?? ""))).toEqual(filesOn(second));
		const after = await browser.open(picture.links.get("Next") ?? "");
		expect(after.title).toStartWith("summer-0.png");
		expect(filesOn(await browser.open(second.links.get("Previous") ?? ""))).toEqual(filesOn(first));
	});

	test("what names one image leads to it: its id, an address in which that stands, or the App's own name of it [C]", async () => {
		const { id, url } = await addPicture("named.png", { external_id: "sku-77.a" });
		const browser = await signedIn(service, team.viewer);
		for (const q of [id, url, `${url}?w=40`, "sku-77.a"]) {
			const found = await browser.open(`${images()}?${new URLSearchParams({ q })}`);
			expect([q, found.status, found.location]).toEqual([q, 303, `${images()}/${id}`]);
		}
		for (const q of ["named", "nothing at all", "x".repeat(300)])
			expect([q, (await browser.open(`${images()}?${new URLSearchParams({ q })}`)).location]).toEqual([q, ""]);
	});

	test("one is changed by its form: what the form left alone stays as somebody else made it meanwhile", async () => {
		const { id } = await addPicture("moth.png", { labels: '{"album":"moths"}', caption: "A moth" });
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(`${images()}/${id}`);
		await send(service, "PATCH", `/v1/images/${id}`, { metadata: { by: "Ada" } }, as(team.editor, team.appId));
		const typed = { caption: "Two moths", labels: "album=insects\nseason=summer" };
		const saved = await act(browser, page, "save", typed);
		expect(saved.status).toBe(303);
		expect((await browser.follow(saved)).html).toContain("Saved.");
		const now = await (await send(service, "GET", `/v1/images/${id}`, undefined, as(team.editor, team.appId))).json();
		expect(now).toMatchObject({
			caption: "Two moths",
			labels: { album: "insects", season: "summer" },
			metadata: { by: "Ada" },
		});
	});

	test("of two who change the same words nobody's are lost: both are shown, and sent again on purpose they are written over [C]", async () => {
		const { id } = await addPicture("both.png", { caption: "Before" });
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(`${images()}/${id}`);
		const patched = { caption: "Theirs", metadata: { by: "Ada" } };
		await send(service, "PATCH", `/v1/images/${id}`, patched, as(team.editor, team.appId));
		const told = await act(browser, page, "save", { caption: "Mine", labels: "album=moths" });
		expect([told.status, told.html.includes('value="Mine"'), told.html.includes("Theirs")]).toEqual([409, true, true]);
		const read = async () =>
			(await send(service, "GET", `/v1/images/${id}`, undefined, as(team.editor, team.appId))).json();
		expect(await read()).toMatchObject({ caption: "Theirs", labels: {} });
		const again = await act(browser, told, "save", { caption: "Mine", labels: "album=moths" });
		expect(again.status).toBe(303);
		expect(await read()).toMatchObject({ caption: "Mine", labels: { album: "moths" }, metadata: { by: "Ada" } });
	});

	test("one gets the App's own id of it, which no other image has, and loses it again [C]", async () => {
		const browser = await signedIn(service, team.editor);
		const [first, second] = [(await addPicture("own.png")).id, (await addPicture("other.png")).id];
		const ownId = async (id: string) => {
			const answer = await send(service, "GET", `/v1/images/${id}`, undefined, as(team.editor, team.appId));
			return ((await answer.json()) as { external_id?: string }).external_id;
		};
		const save = async (id: string, external_id: string) =>
			await act(browser, await browser.open(`${images()}/${id}`), "save", { external_id });
		await save(first, "moth-1");
		const taken = await save(second, "moth-1");
		expect([taken.status, await ownId(first), await ownId(second)]).toEqual([409, "moth-1", undefined]);
		expect(taken.html).toMatch(/<input id="external_id"[^>]*aria-invalid="true"[^>]*value="moth-1"/);
		expect(taken.html).not.toContain("Somebody else has changed");
		await save(first, "");
		expect([(await save(second, "moth-1")).status, await ownId(first), await ownId(second)]).toEqual([
			303,
			undefined,
			"moth-1",
		]);
	});

	test("what the API refuses stands beside its field, with all that was typed", async () => {
		const { id } = await addPicture("refused.png");
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(`${images()}/${id}`);
		const refused = await act(browser, page, "save", { ttl: "1s", caption: "Kept words" });
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="ttl"[^>]*aria-describedby="ttl-fault ttl-hint"[^>]*aria-invalid="true"/);
		expect(refused.html).toContain('value="Kept words"');
	});

	test("one is deleted at once, and restored from the next page or from its own [C]", async () => {
		const [{ id }, other] = [await addPicture("gone.png"), await addPicture("stays.png")];
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(`${images()}/${id}?filename_prefix=gone`);
		const gone = await act(browser, page, "delete");
		expect(gone.location).toBe(`${images()}?filename_prefix=gone`);
		const next = await browser.follow(gone);
		expect(filesOn(next)).toEqual([]);
		expect(next.html).toContain("Deleted. For 24 hours <bdi>gone.png</bdi> can be restored.");
		const read = (image: string) => send(service, "GET", `/v1/images/${image}`, undefined, as(team.editor, team.appId));
		expect([(await read(id)).status, (await read(other.id)).status]).toEqual([404, 200]);
		const deleted = await browser.open(`${images()}?state=deleted`);
		expect(filesOn(deleted)).toEqual(["gone.png"]);
		expect((await act(browser, next, "restore")).location).toBe(`${images()}/${id}?filename_prefix=gone`);
		await act(browser, await browser.open(`${images()}/${id}`), "delete");
		await act(browser, await browser.open(`${images()}/${id}`), "restore");
		expect((await read(id)).status).toBe(200);
	});

	test("one is copied and moved to a user of the App, and an id that is none is refused beside its field [C]", async () => {
		const { id } = await addPicture("travels.png");
		const user = await connectUser(service.database, { id: team.appId });
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(`${images()}/${id}`);
		const copied = await act(browser, page, "copy", { user_id: user.id });
		expect((await browser.follow(copied)).title).toStartWith("travels.png");
		const moved = await act(browser, page, "move", { user_id: user.id });
		expect(moved.location).toBe(`${images()}/${id}?storage=${user.id}`);
		expect(filesOn(await browser.open(`${images()}?storage=${user.id}`))).toEqual(["travels.png", "travels.png"]);
		const refused = await act(browser, await browser.open(copied.location), "move", { user_id: "nobody" });
		expect([refused.status, refused.html.includes('id="move-user-fault"')]).toEqual([422, true]);
	});

	test("one that moderation holds says so, in its own state of the list [C]", async () => {
		const [blocked, locked] = [await addPicture("blocked.png"), await addPicture("locked.png")];
		await setImageStatus(service.database, blocked.id, "blocked");
		await lockImage(service.database, locked.id);
		const browser = await signedIn(service, team.viewer);
		const list = await browser.open(`${images()}?state=blocked`);
		expect([filesOn(list), list.html.includes('class="plate wrong"')]).toEqual([["blocked.png"], true]);
		expect(filesOn(await browser.open(`${images()}?state=locked`))).toEqual(["locked.png"]);
		expect((await browser.open(`${images()}/${locked.id}`)).html).toContain("This image is locked");
	});

	test("a word by itself is no label: it is refused beside its field with how to write one, for one picture and for many [C]", async () => {
		const { id } = await addPicture("wordless.png", { labels: '{"waterfall":"high"}' });
		const browser = await signedIn(service, team.editor);
		for (const [path, name] of [
			[`${images()}/${id}`, "save"],
			[`${images()}/chosen?ids=${id}`, "labels"],
		] as const) {
			const told = await act(browser, await browser.open(path), name, { labels: "waterfall" });
			expect([told.status, told.html.includes('aria-invalid="true"')]).toEqual([422, true]);
			expect(told.html).toMatch(/id="labels-fault" role="alert">One key=value a line</);
			expect(told.html).toContain(">waterfall</textarea>");
		}
	});

	test("many are chosen by their boxes, or all that match: one job labels, moves, deletes and restores exactly these [C]", async () => {
		const own = await makeTeam(service, "Many");
		const caller = as(own.editor, own.appId);
		const made: string[] = [];
		for (let place = 0; place < 5; place++)
			made.push((await uploaded(service, await plain(9, 9), `m${place}.png`, {}, caller)).id);
		const browser = await signedIn(service, own.editor);
		const list = `/console/${own.appId}/images`;
		const ofAll = async (query: string) => {
			const { data } = (await (await send(service, "GET", `/v1/images?${query}`, undefined, caller)).json()) as {
				data: { id: string }[];
			};
			return data.map(({ id }) => id).sort();
		};
		const does = async (query: string, name: string, typed: Readonly<Record<string, string>>) => {
			const page = await browser.open(`${list}/chosen?${query}`);
			const job = await act(browser, page, name, typed);
			expect(job.status).toBe(303);
			expect((await browser.follow(job)).html).toContain(ASKS_AGAIN);
			await service.runJobs();
			return await browser.follow(job);
		};
		const ticked = `ids=${made[0]}&ids=${made[1]}`;
		const labelled = await does(ticked, "labels", { labels: "album=two" });
		expect([labelled.html.includes(ASKS_AGAIN), labelled.html.includes("2 images changed.")]).toEqual([false, true]);
		expect(await ofAll("labels=album%3Dtwo")).toEqual(made.slice(0, 2).sort());
		expect((await does("labels=album%3Dtwo&all=1", "delete", {})).html).toContain("2 images changed.");
		expect(await ofAll("")).toEqual(made.slice(2).sort());
		expect((await does("state=deleted&all=1", "restore", {})).html).toContain("2 images changed.");
		expect(await ofAll("")).toEqual([...made].sort());
		expect((await does("order=asc&all=1", "labels", { labels: "album=all" })).html).toContain("5 images changed.");
		const page = await browser.open(`${list}/chosen?all=1`);
		const refused = await act(browser, page, "ttl", { ttl: "1s" });
		expect([refused.status, refused.alerts.length > 0]).toEqual([422, true]);
		const viewer = await signedIn(service, own.viewer);
		const form_token = formOf(await viewer.open("/console"), "create").fields.form_token ?? "";
		expect((await viewer.post(`${list}/chosen?all=1`, { form_token, act: "delete" })).status).toBe(403);
	});

	test("one file is uploaded by a form, once; one that is no picture is refused with the reason", async () => {
		const browser = await signedIn(service, team.editor);
		const page = await browser.open(images());
		const form = page.forms.find(({ action }) => action.includes("/upload?"));
		const post = async (bytes: Uint8Array<ArrayBuffer>, number: string) => {
			const url = new URL(form?.action ?? "", page.url);
			url.searchParams.set("number", number);
			return await postFile(service, browser, url.href, { bytes, name: "by-form.png" });
		};
		const refused = await post(new TextEncoder().encode("no picture"), "n1");
		expect([
			refused.status,
			refused.html.includes('role="alert"'),
			refused.html.includes('<details class="ask" open'),
		]).toEqual([422, true, true]);
		const [first, second] = [await post(await plain(20, 20), "n2"), await post(await plain(20, 20), "n2")];
		expect([first.status, second.location]).toEqual([303, first.location]);
		expect((await browser.open(first.location)).title).toStartWith("by-form.png");
	});
});

describe("what is not theirs", () => {
	test("a Viewer sees no control that changes something, and each forged form is 403", async () => {
		const { id } = await addPicture("viewed.png");
		const viewer = await signedIn(service, team.viewer);
		for (const path of [images(), `${images()}/${id}`]) {
			const page = await viewer.open(path);
			expect(page.status).toBe(200);
			expect(page.forms.filter(({ action, fields }) => fields.act !== undefined || action.includes("/upload"))).toEqual(
				[],
			);
		}
		const token = formOf(await viewer.open("/console"), "create").fields.form_token ?? "";
		for (const name of ["save", "delete"]) {
			const forged = await viewer.post(`${images()}/${id}`, { form_token: token, act: name, caption: "forged" });
			expect([name, forged.status]).toEqual([name, 403]);
		}
		const body = new FormData();
		body.set("file", new File([await plain(8, 8)], "forged.png"));
		const headers = { Cookie: `session=${viewer.cookies.get("session")?.value}`, Origin: "http://localhost:3000" };
		const upload = `http://localhost:3000/console/${team.appId}/upload?form_token=${token}`;
		expect((await service.open(upload, { method: "POST", body, headers })).status).toBe(403);
	});

	test("a Viewer neither restores, copies nor moves by a forged form [C]", async () => {
		const { id } = await addPicture("viewed too.png");
		const viewer = await signedIn(service, team.viewer);
		const form_token = formOf(await viewer.open("/console"), "create").fields.form_token ?? "";
		for (const act of ["restore", "copy", "move"]) {
			const forged = await viewer.post(`${images()}/${id}`, { form_token, act, user_id: "" });
			expect([act, forged.status]).toEqual([act, 403]);
		}
	});

	test("another App's id is 404, and a form without its token is 403", async () => {
		const other = await makeTeam(service, "Not theirs");
		const { id } = await addPicture("here.png");
		const browser = await signedIn(service, other.owner);
		for (const path of [
			images(),
			`${images()}/${id}`,
			`/console/app_${"x".repeat(22)}/images`,
			"/console/__proto__/images",
		])
			expect([path, (await browser.open(path)).status]).toEqual([path, 404]);
		const own = await signedIn(service, team.editor);
		for (const form_token of ["", "a".repeat(128)]) {
			const forged = await own.post(`${images()}/${id}`, { form_token, act: "delete" });
			expect(forged.status).toBe(403);
		}
		expect((await own.post(`${images()}/${id}`, {}, { headers: { Origin: "https://evil.example" } })).status).toBe(403);
	});

	test("nothing in a request from outside gives the authority that a page has", async () => {
		const secret = (await signedIn(service, team.owner)).cookies.get("session")?.value ?? "";
		const names = [
			"authorization",
			"cookie",
			"x-svc-session",
			"x-svc-visitor",
			"x-forwarded-user",
			"x-svc-user",
			"x-svc-app",
		];
		for (const name of names) {
			for (const value of [secret, `Bearer ${secret}`, `session=${secret}`]) {
				const answer = await service.open("http://localhost:3000/v1/apps", { headers: { [name]: value } });
				expect([name, answer.status]).toEqual([name, 401]);
			}
		}
	});
});
