import { describe, expect, test } from "bun:test";
import { sql } from "drizzle-orm";
import { connectUser } from "../../support/apps.ts";
import type { Shown } from "../../support/browser.ts";
import { sendForm, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";
import { HAS_PYTHON, readZip } from "../../support/zip-file.ts";

/* What narrows the console's list, what leads away with all of it, and what becomes of a change of many: by links and forms alone. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const images = () => `/console/${team.appId}/images`;

async function addPicture(name: string, fields: Readonly<Record<string, string>> = {}, headers = {}) {
	const caller = as(team.editor, team.appId);
	return await uploaded(service, await plain(9, 9), name, fields, {
		...caller,
		headers: { ...caller.headers, ...headers },
	});
}

/** File names on a page, in their order. */
function filesOn({ html }: Shown): readonly string[] {
	return [...html.matchAll(/class="file"><bdi>([^<]*)</g)].map(([, name = ""]) => name);
}

describe("a filter", () => {
	test("by dates, state and a user's storage is in the form, in the address and, but for the state, a link that removes it [C]", async () => {
		const user = await connectUser(service.database, { id: team.appId });
		await addPicture("old.png", { published_at: "2020-03-01T00:00:00Z" });
		await addPicture("new.png", { published_at: "2020-05-31T23:00:00Z" });
		await addPicture("theirs.png", {}, { "X-Svc-User": user.id });
		const browser = await signedIn(service, team.viewer);
		const search = (fields: Record<string, string>) => browser.open(`${images()}?${new URLSearchParams(fields)}`);
		const dated = await search({ q: "", published_from: "2020-05-01", published_to: "2020-06-01", state: "" });
		expect(filesOn(dated)).toEqual(["new.png"]);
		expect(dated.html).toMatch(/name="published_from" value="2020-05-01"/);
		const rest = await browser.open(dated.links.get("Published from 2020-05-01 ×Remove from the filter") ?? "");
		expect([rest.url.includes("published_from"), filesOn(rest)]).toEqual([false, ["new.png", "old.png"]]);
		const theirs = await search({ storage: user.id });
		expect(filesOn(theirs)).toEqual(["theirs.png"]);
		expect(theirs.html).toContain(`name="storage"`);
		const own = await browser.open(theirs.links.get(`Storage ${user.id} ×Remove from the filter`) ?? "");
		expect(filesOn(own)).not.toContain("theirs.png");
		expect((await search({ state: "deleted" })).html).toMatch(/<option value="deleted" selected="">/);
	});

	test("that the API refuses says so above the same form, and can be mended there [C]", async () => {
		const browser = await signedIn(service, team.viewer);
		const page = await browser.open(`${images()}?published_from=soon&storage=nobody`);
		expect([page.status, page.alerts.length, page.html.includes('value="soon"')]).toEqual([422, 1, true]);
		expect(page.alerts[0]).toContain("published_from: must be");
		expect(page.links.get("Storage nobody ×Remove from the filter")).toBe(`${images()}?published_from=soon`);
	});
});

describe("one file of many pictures", () => {
	test.skipIf(!HAS_PYTHON)("holds exactly those that match or were chosen, for a Viewer as well [C]", async () => {
		const { id } = await addPicture("zip a.png", { labels: '{"in":"zip"}' });
		await addPicture("zip b.png", { labels: '{"in":"zip"}' });
		const read = async (address: string) => {
			const Cookie = `session=${(await signedIn(service, team.viewer)).cookies.get("session")?.value}`;
			const answer = await service.open(`http://localhost:3000${address}`, { headers: { Cookie } });
			expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/zip"]);
			return [...(await readZip(await answer.arrayBuffer())).keys()].sort();
		};
		const viewer = await signedIn(service, team.viewer);
		const list = await viewer.open(`${images()}?labels=in%3Dzip&order=asc`);
		expect(await read(list.links.get("Download as ZIP") ?? "")).toEqual(["zip a.png", "zip b.png"]);
		const chosen = await viewer.open(`${images()}/chosen?ids=${id}&labels=in%3Dzip`);
		expect(chosen.forms.filter(({ fields }) => fields.act)).toEqual([]);
		expect(await read(chosen.links.get("Download as ZIP") ?? "")).toEqual(["zip a.png"]);
	});

	test("of more than it may have is refused with the reason, beside what else can be done with them [C]", async () => {
		const own = await makeTeam(service, "Too many");
		const { id } = await uploaded(service, await plain(9, 9), "one.png", {}, as(own.editor, own.appId));
		await service.database.write([{ run: sql`UPDATE images SET bytes = 10000000001 WHERE id = ${id}` }]);
		const browser = await signedIn(service, own.editor);
		const page = await browser.open(`/console/${own.appId}/images.zip?q=one`);
		expect([page.status, page.forms.some(({ fields }) => fields.act === "labels")]).toEqual([422, true]);
		expect(page.alerts).toEqual([expect.stringContaining("at most 5,000 images of 10 GB together")]);
	});

	test("is 404 for another App's team, and leads the signed-out to the sign-in [C]", async () => {
		const stranger = await signedIn(service, (await makeTeam(service, "Strangers")).owner);
		expect((await stranger.open(`${images()}.zip`)).status).toBe(404);
		stranger.cookies.clear();
		expect((await stranger.open(`${images()}.zip`)).headers.get("content-type")).toStartWith("text/html");
	});
});

test("a delete of chosen pictures is undone by one button; of all that match, what comes back is shown first [C]", async () => {
	const own = await makeTeam(service, "Undone");
	const caller = as(own.editor, own.appId);
	const made: string[] = [];
	for (const name of ["a.png", "b.png", "c.png"])
		made.push((await uploaded(service, await plain(9, 9), name, {}, caller)).id);
	const browser = await signedIn(service, own.editor);
	const list = `/console/${own.appId}/images`;
	const does = async (page: Shown, act: string) => {
		const job = await sendForm(browser, page, act);
		await service.runJobs();
		return await browser.follow(job);
	};
	const ended = await does(await browser.open(`${list}/chosen?ids=${made[0]}&ids=${made[1]}`), "delete");
	expect(filesOn(await browser.open(list))).toEqual(["c.png"]);
	const restored = await does(ended, "restore");
	expect(restored.html).toContain("2 images changed.");
	expect(filesOn(await browser.open(list))).toEqual(["c.png", "b.png", "a.png"]);
	const all = await does(await browser.open(`${list}/chosen?q=a&all=1`), "delete");
	const shown = await browser.open(all.links.get("Undo") ?? "");
	expect(shown.title).toStartWith("1 image,");
	await does(shown, "restore");
	expect(filesOn(await browser.open(list))).toHaveLength(3);
});
