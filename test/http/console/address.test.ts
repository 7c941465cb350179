import { describe, expect, test } from "bun:test";
import { PARAMETERS } from "@svc/sdk/transform-parameters";
import sharp from "sharp";
import { setImageStatus } from "../../support/apps.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { drawnStates, formsOn, shownOn, srcsetOf } from "../../support/built-addresses.ts";
import { sendForm, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";

/* The builder of a picture's addresses, without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const pathOf = (id: string) => `/console/${team.appId}/images/${id}`;

async function addPicture(name: string, width = 600, height = 400, by = team) {
	return await uploaded(service, await plain(width, height, "jpeg"), name, {}, as(by.editor, by.appId));
}

async function at(browser: Browser, path: string, state: Readonly<Record<string, string>> = {}): Promise<Shown> {
	return await browser.open(`${path}?${new URLSearchParams(state)}`);
}

/** Pixels of a picture, and what it is answered with. */
async function seen(url: string): Promise<readonly (number | undefined)[]> {
	const answer = await service.open(url);
	if (answer.status !== 200) return [answer.status];
	const { width, height } = await sharp(await answer.bytes()).metadata();
	return [200, width, height];
}

describe("the address of a picture", () => {
	test("is built by a control for each parameter of the table; one that comes to the table has one as well", async () => {
		const { id } = await addPicture("table.jpg");
		const browser = await signedIn(service, team.viewer);
		const page = await at(browser, pathOf(id));
		const controls = [...page.html.matchAll(/<(?:input|select) [^>]*id="p-(\w+)"[^>]*>/g)];
		const named = controls.filter(([tag, name]) => tag.includes(` name="${name}"`)).map(([, name = ""]) => name);
		expect(new Set(named.filter((name) => Object.hasOwn(PARAMETERS, name)))).toEqual(new Set(Object.keys(PARAMETERS)));
		const planted = PARAMETERS as Record<string, object>;
		planted.glow = {
			kind: "decimal",
			min: 0,
			max: 7,
			decimals: 1,
			usual: 2,
			unit: "px",
			demand: "a number from 0 to 7",
		};
		try {
			const [tag = ""] =
				/<input [^>]*id="p-glow"[^>]*>/.exec((await at(browser, pathOf(id), { glow: "3.5" })).html) ?? [];
			for (const part of [
				'type="number"',
				'name="glow"',
				'placeholder="2"',
				'min="0"',
				'max="7"',
				'step="0.1"',
				'value="3.5"',
			])
				expect([part, tag.includes(part)]).toEqual([part, true]);
		} finally {
			delete planted.glow;
		}
	});

	test("an empty field and what goes without saying stand in no address, and a click on the picture is a point", async () => {
		const { id } = await addPicture("tidy.jpg");
		const browser = await signedIn(service, team.viewer);
		const sent = await at(browser, pathOf(id), {
			w: "300",
			h: "",
			fit: "scale-down",
			q: " ",
			"focus.x": "44",
			"focus.y": "0",
			list_q: "ti",
		});
		expect([sent.status, sent.location]).toEqual([303, `${pathOf(id)}?w=300&list_q=ti&focus=0.25%2C0`]);
		const corner = await at(browser, pathOf(id), { w: "300", "focus.x": "0", "focus.y": "0" });
		expect(corner.location).toBe(`${pathOf(id)}?w=300`);
		expect((await at(browser, pathOf(id), { w: "300" })).status).toBe(200);
	});

	test("what the transform host would ignore is said beside its control in the service's own words, and gives no address", async () => {
		const { id } = await addPicture("faults.jpg");
		const browser = await signedIn(service, team.viewer);
		const page = await at(browser, pathOf(id), { w: "0", background: "no colour", q: "101" });
		expect(page.html).toMatch(/id="p-w-said"[^>]*><span class="fault">must be a whole number from 1 to 4096</);
		expect(page.html).toMatch(/id="p-background-said"[^>]*><span class="fault">must be a CSS colour</);
		expect(page.html).toMatch(/id="p-q"[^>]*aria-invalid="true"/);
		expect(formsOn(page)).toEqual({});
		const idle = await at(browser, pathOf(id), { size: "s", h: "30", zoom: "1" });
		expect(idle.html.match(/>Changes nothing here</g)?.length).toBe(2);
		expect(formsOn(idle).url).toEndWith("?size=s&h=30&zoom=1");
	});

	test("a picture that is opened asks for no rendition; one with a state shows what it will be, with its pixels", async () => {
		const { id, url } = await addPicture("shown.jpg", 1500, 1000);
		const browser = await signedIn(service, team.viewer);
		expect(shownOn(await at(browser, pathOf(id)))).toMatchObject({ src: `${url}?size=l` });
		const built = shownOn(await at(browser, pathOf(id), { w: "300", h: "300", fit: "cover" }));
		expect(built).toEqual({ src: `${url}?w=300&h=300&fit=cover`, width: "300", height: "300" });
		expect(await seen(built.src ?? "")).toEqual([200, 300, 300]);
	});

	test("keeps whence one came: a list that was searched or narrowed by format is led back to, beside q and format of its own", async () => {
		const { id } = await addPicture("found-moth.jpg");
		await addPicture("found-moth-2.jpg");
		const browser = await signedIn(service, team.viewer);
		const list = await browser.open(`/console/${team.appId}/images?q=found-moth&format=jpg`);
		const picture = await browser.open(list.links.get("found-moth.jpg") ?? "");
		expect(picture.links.get("← Images")).toBe(`/console/${team.appId}/images?q=found-moth&format=jpg`);
		expect((await browser.open(picture.links.get("Previous") ?? "")).title).toStartWith("found-moth-2.jpg");
		const built = await browser.open(`${new URL(picture.url).pathname}${new URL(picture.url).search}&q=40&format=webp`);
		expect(built.links.get("← Images")).toBe(`/console/${team.appId}/images?q=found-moth&format=jpg`);
		expect(formsOn(built).url).toEndWith("?format=webp&q=40");
		expect(built.url).toContain(id);
	});

	test("the picture beside one at the edge of a page of the list is the first of the next page, and the way back as well", async () => {
		const own = await makeTeam(service, "Pages");
		for (let made = 0; made < 61; made++) await addPicture(`p${made}.jpg`, 8, 8, own);
		const browser = await signedIn(service, own.viewer);
		const list = await browser.open(`/console/${own.appId}/images`);
		const last = await browser.open(list.links.get("p1.jpg") ?? "");
		const next = await browser.open(last.links.get("Next") ?? "");
		expect(next.title).toStartWith("p0.jpg");
		expect((await browser.open(next.links.get("Previous") ?? "")).title).toStartWith("p1.jpg");
	});
});

describe("every address that the builder gives is answered with the pixels that it says", () => {
	const STATES = 40;

	/** Follows what takes out of the address what goes without saying. */
	async function opened(browser: Browser, path: string, state: Readonly<Record<string, string>>): Promise<Shown> {
		const page = await at(browser, path, state);
		return page.status === 303 ? await browser.follow(page) : page;
	}

	/** Asks for each entry of a `srcset`. @param wide pixels of the picture that is shown */
	async function requireEntries(elements: string, wide: number): Promise<void> {
		for (const { url, pixels, density } of srcsetOf(elements)) {
			const [status, width = 0] = await seen(url);
			// One that stands alone says nothing of its size.
			const isExact =
				pixels === undefined ? Math.abs(width / wide - (density ?? width / wide)) < 0.01 : width === pixels;
			expect([url, status, width, isExact]).toEqual([url, 200, width, true]);
		}
	}

	test("with every parameter at its edges, for addresses, elements and the entries of a srcset", async () => {
		const [image, over] = [await addPicture("edges.jpg", 360, 240), await addPicture("over.jpg", 90, 60)];
		const browser = await signedIn(service, team.viewer);
		const states = drawnStates(STATES, over.id);
		for (const state of states) {
			const page = await opened(browser, pathOf(image.id), state);
			const { url = "", picture = "" } = formsOn(page);
			if (state.info !== undefined) {
				expect([state, (await service.open(url)).status, picture]).toEqual([state, 200, ""]);
				continue;
			}
			const [status, width, height] = await seen(url);
			const told = shownOn(page);
			const [wide, high] = told.width === undefined ? [width, height] : [Number(told.width), Number(told.height)];
			expect([state, status, width, height]).toEqual([state, 200, wide, high]);
			await requireEntries(picture, wide ?? 0);
		}
		const tried = new Set(states.flatMap((state) => Object.keys(state)));
		expect([...tried].sort()).toEqual(Object.keys(PARAMETERS).sort());
	}, 120_000);

	test("signed, where the App answers signed addresses alone: also for a Viewer, for ten minutes, and bare ones are 403 [C]", async () => {
		const own = await makeTeam(service, "Signed");
		const image = await addPicture("signed.jpg", 900, 600, own);
		await ask(service, own.admin, "PATCH", own.path, { delivery: "signed" });
		const path = `/console/${own.appId}/images/${image.id}`;
		const built = async (who: Team["viewer"]) => {
			const browser = await signedIn(service, who);
			const plain = await at(browser, path);
			expect([await seen(shownOn(plain).src ?? ""), formsOn(plain)]).toEqual([[200, 900, 600], {}]);
			const unsigned = await at(browser, path, { w: "300" });
			expect([await seen(shownOn(unsigned).src ?? ""), formsOn(unsigned)]).toEqual([[200, 300, 200], {}]);
			const page = await at(browser, path, { w: "300", format: "webp", expires_in: "366d" });
			const { url = "", picture = "", typescript } = formsOn(page);
			expect([await seen(url), await seen(url.replace("w=300", "w=299"))]).toEqual([[200, 300, 200], [403]]);
			await requireEntries(picture, 300);
			expect(typescript).toContain("svc.images.sign(");
			const minutes = (Number(new URL(url).searchParams.get("exp")) - service.clock.now() / 1_000) / 60;
			return [plain.html.match(/<option[^>]*>\d+[mhd]</g)?.length, Math.round(minutes)];
		};
		expect(await built(own.viewer)).toEqual([1, 10]);
		expect(await built(own.editor)).toEqual([6, 366 * 24 * 60]);
		for (const bare of [image.url, `${image.url}?size=l`, `${image.url}?w=300`])
			expect(await seen(bare)).toEqual([403]);
	});

	test("under presets: presets and sizes alone give addresses, and an Admin makes a preset of what is set [C]", async () => {
		const own = await makeTeam(service, "Presets");
		const image = await addPicture("presets.jpg", 900, 600, own);
		await ask(service, own.admin, "PATCH", own.path, { delivery: "presets" });
		const path = `/console/${own.appId}/images/${image.id}`;
		const editor = await signedIn(service, own.editor);
		const sized = formsOn(await at(editor, path, { size: "s" }));
		expect(await seen(sized.url ?? "")).toEqual([200, 480, 320]);
		await requireEntries(sized.picture ?? "", 480);
		const tried = await at(editor, path, { w: "120", h: "80", fit: "cover" });
		expect([formsOn(tried), tried.html.includes("Make a preset of it")]).toEqual([{}, false]);
		expect(await seen(shownOn(tried).src ?? "")).toEqual([200, 120, 80]);
		expect(await seen(`${image.url}?w=120&h=80&fit=cover`)).toEqual([403]);
		const admin = await signedIn(service, own.admin);
		const page = await at(admin, path, { w: "120", h: "80", fit: "cover" });
		const refused = await sendForm(admin, page, "preset", { name: "No Name!" });
		expect([refused.status, refused.html.includes('id="name-fault"')]).toEqual([422, true]);
		const made = await admin.follow(await sendForm(admin, refused, "preset", { name: "card" }));
		expect([new URL(made.url).search, made.html.includes("The preset is there")]).toEqual(["?preset=card", true]);
		const { url, picture = "" } = formsOn(made);
		expect(url).toBe(`${image.url}?preset=card`);
		for (const one of [url ?? "", ...srcsetOf(picture).map((entry) => entry.url)])
			expect(await seen(one)).toEqual([200, 120, 80]);
		const { form_token = "" } = page.forms.find(({ fields }) => fields.form_token)?.fields ?? {};
		expect((await editor.post(`${path}?w=9`, { form_token, act: "preset", name: "forged" })).status).toBe(403);
	});
});

describe("a picture that is not shown", () => {
	test("deleted, blocked or failed has a plate with the reason, and no address; a deleted one's preview is null [C]", async () => {
		const browser = await signedIn(service, team.editor);
		const [gone, blocked, failed] = [
			await addPicture("gone.jpg"),
			await addPicture("bad.jpg"),
			await addPicture("failed.jpg"),
		];
		await send(service, "DELETE", `/v1/images/${gone.id}`, undefined, as(team.editor, team.appId));
		await setImageStatus(service.database, blocked.id, "blocked");
		await setImageStatus(service.database, failed.id, "failed");
		for (const [{ id }, words] of [
			[gone, "Deleted"],
			[blocked, "Blocked"],
			[failed, "Could not be processed"],
		] as const) {
			const page = await at(browser, pathOf(id), { w: "30" });
			expect([page.status, page.html.includes(`<strong>${words}`), formsOn(page)]).toEqual([200, true, {}]);
			expect(page.html).not.toContain("<img");
		}
		const list = await browser.open(`/console/${team.appId}/images?state=deleted`);
		expect(list.html).not.toContain("<img");
		const deleted = await ask(service, team.viewer, "GET", `${team.path}/images/deleted?include=preview`);
		expect(deleted.body.data).toMatchObject([{ id: gone.id, preview: null }]);
	});
});
