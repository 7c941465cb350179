import { describe, expect, test } from "bun:test";
import { connectUser } from "../../support/apps.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { addPlan, setSelling } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeTeam, type Team } from "../../support/teams.ts";

/* The people who are connected to an App, in the console without a script. */

const service = serviceFor();
const team: Team = madeBefore(async () => {
	const made = await makeTeam(service, "Moth Garden");
	await ask(service, made.owner, "PATCH", made.path, { sign_in_enabled: true });
	return made;
});
const users = () => `/console/${team.appId}/users`;

async function connected() {
	const user = await connectUser(service.database, { id: team.appId });
	const { body } = await ask(service, team.admin, "GET", `${team.path}/users/${user.id}`);
	return { ...user, email: String(body.email) };
}

const stateOf = async (id: string) => (await ask(service, team.admin, "GET", `${team.path}/users/${id}`)).body;

describe("users", () => {
	test("are listed with their images, found by address, and lead to their images", async () => {
		const [one, other] = [await connected(), await connected()];
		const editor = as(team.editor, team.appId);
		const by = { ...editor, headers: { ...editor.headers, "X-Svc-User": one.id } };
		await uploaded(service, await plain(20, 20), "theirs.png", {}, by);
		const viewer = await signedIn(service, team.viewer);
		const list = await viewer.open(users());
		expect([list.links.has(one.email), list.links.has(other.email)]).toEqual([true, true]);
		const found = await viewer.open(`${users()}?email=${encodeURIComponent(one.email)}`);
		expect([found.links.has(one.email), found.links.has(other.email)]).toEqual([true, false]);
		const page = await viewer.open(found.links.get(one.email) ?? "");
		expect(page.title).toStartWith(one.email);
		const images = await viewer.open(page.links.get("Their images") ?? "");
		expect(images.html).toContain("theirs.png");
	});

	test("an Owner gives a plan for nothing and takes it back; what is refused stands beside its field", async () => {
		await setSelling(service.database, team.appId);
		await addPlan(service, team.appId, as(team.owner), { key: "gold", name: "Gold" });
		const { id } = await connected();
		const browser = await signedIn(service, team.owner);
		const at = `${users()}/${id}`;
		const wish = {
			plan_key: "gold",
			until: new Date(service.clock.now() + 30 * 86_400_000).toISOString().slice(0, 10),
		};
		const refused = await sendForm(browser, await browser.open(at), "grant", {
			...wish,
			reason: " ",
			until: "2019-01-01",
		});
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="(?:until|reason)"[^>]*aria-invalid="true"/);
		const granted = await sendForm(browser, await browser.open(at), "grant", { ...wish, reason: "Found a bug" });
		expect((await browser.follow(granted)).html).toContain("Found a bug");
		expect((await stateOf(id)).grant).toMatchObject({ plan_key: "gold" });
		await sendForm(browser, await browser.open(at), "ungrant");
		expect((await stateOf(id)).grant).toBeNull();
		expect((await eventsOf(service, team)).slice(-2)).toEqual(["plan.granted", "plan.ungranted"]);
	});

	test("an Admin disconnects one, and no other", async () => {
		const [one, other] = [await connected(), await connected()];
		const browser = await signedIn(service, team.admin);
		const sent = await sendForm(browser, await browser.open(`${users()}/${one.id}`), "disconnect");
		expect((await browser.follow(sent)).html).toContain("Disconnected.");
		expect([(await stateOf(one.id)).state ?? "gone", (await stateOf(other.id)).state]).not.toContain("disconnected");
		expect((await stateOf(other.id)).state).toBe("connected");
		expect((await stateOf(one.id)).state).not.toBe("connected");
	});

	test("a Viewer sees no control, each forged form is 403, and users of another App are 404", async () => {
		const { id } = await connected();
		const viewer = await signedIn(service, team.viewer);
		const at = `${users()}/${id}`;
		const page = await viewer.open(at);
		expect(page.forms.filter(({ fields }) => fields.act !== undefined)).toEqual([]);
		const { form_token = "" } = formOf(await viewer.open("/console"), "create").fields;
		for (const act of ["grant", "ungrant", "disconnect"]) {
			const forged = { form_token, act, plan_key: "gold", until: "2030-01-01", reason: "Forged" };
			expect([act, (await viewer.post(at, forged)).status]).toEqual([act, 403]);
		}
		const elsewhere = await makeTeam(service, "Elsewhere");
		const stranger = await signedIn(service, elsewhere.owner);
		for (const path of [users(), at, `/console/${elsewhere.appId}/users/${id}`])
			expect([path, (await stranger.open(path)).status]).toEqual([path, 404]);
	});
});
