import { describe, expect, test } from "bun:test";
import { connectUser } from "../../support/apps.ts";
import { signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam, type Team } from "../../support/teams.ts";

/* An App's overview in the console. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const DAY_MS = 86_400_000;

describe("overview", () => {
	test("an empty App has its first steps, with its own address, its id and its key’s name; one with a picture has none", async () => {
		const fresh = await makeTeam(service, "Empty");
		const viewer = await signedIn(service, fresh.viewer);
		const at = `/console/${fresh.appId}`;
		expect((await viewer.open(at)).html).toContain("Make a key for your program");
		await makeKey(service, fresh.admin, fresh.path, { name: "Web server" });
		const { html } = await viewer.open(at);
		for (const words of ["First steps", "http://localhost:3000/v1/images", fresh.appId, "Web server"])
			expect([words, html.includes(words)]).toEqual([words, true]);
		await uploaded(service, await plain(20, 20), "first.png", {}, as(fresh.editor, fresh.appId));
		const after = await viewer.open(at);
		expect([after.status, after.html.includes("First steps")]).toEqual([200, false]);
	});

	test("what was done on each day stands there as bars, and the same figures in a table behind them [C]", async () => {
		const editor = as(team.editor, team.appId);
		await uploaded(service, await plain(20, 20), "one.png", {}, editor);
		const { id } = await connectUser(service.database, { id: team.appId });
		await uploaded(
			service,
			await plain(20, 20),
			"two.png",
			{},
			{ ...editor, headers: { ...editor.headers, "X-Svc-User": id } },
		);
		const { html } = await (await signedIn(service, team.viewer)).open(`/console/${team.appId}`);
		expect(html.match(/<rect /g)?.length).toBeGreaterThanOrEqual(5 * 30);
		expect(html).toContain('aria-label="Uploads: 2"');
		expect(html).toMatch(/<td data-label="Uploads" class="number"><div>2<\/div><\/td>/);
	});

	test("a key that ends soon and an App that is paused need somebody, each with a link; where all is well nothing is said", async () => {
		const admin = await signedIn(service, team.admin);
		const at = `/console/${team.appId}`;
		expect((await admin.open(at)).html).not.toContain("Needs somebody");
		const soon = new Date(service.clock.now() + 3 * DAY_MS).toISOString();
		await makeKey(service, team.admin, team.path, { name: "Nightly", expires_at: soon });
		await ask(service, team.admin, "POST", `${team.path}/pause`);
		const page = await admin.open(at);
		expect(page.html).toContain("The key “<bdi>Nightly</bdi>” ends on");
		expect(page.html).toContain("The App is paused since");
		expect(page.html).toContain(`href="${at}/keys">See`);
		await ask(service, team.admin, "POST", `${team.path}/resume`);
	});

	test("the list of Apps says of each one's role, its plan, how many images it holds, and whether it is paused [C]", async () => {
		const other = await makeTeam(service, "Ferns");
		await uploaded(service, await plain(20, 20), "fern.png", {}, as(other.editor, other.appId));
		const list = async (by: Team["viewer"]) => {
			const { html } = await (await signedIn(service, by)).open("/console");
			return html.replaceAll(/<!--.*?-->/g, "").match(/<li>.*?<\/li>/gs) ?? [];
		};
		const of = async (by: Team["viewer"], name: string) => (await list(by)).find((row) => row.includes(name)) ?? "";
		expect(await of(other.owner, "Ferns")).toMatch(/Owner · free\s+· 1 image\b/);
		await ask(service, other.owner, "POST", `${other.path}/pause`);
		expect(await of(other.owner, "Ferns")).toContain("Paused");
	});

	test("another App’s is 404, and the list of Apps leads to one’s own", async () => {
		const stranger = await signedIn(service, (await makeTeam(service, "Elsewhere")).owner);
		expect((await stranger.open(`/console/${team.appId}`)).status).toBe(404);
		const own = await (await signedIn(service, team.owner)).open("/console");
		expect(own.links.get("Moth Garden")).toBe(`/console/${team.appId}`);
	});
});
