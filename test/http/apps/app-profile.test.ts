import { describe, expect, test } from "bun:test";
import { plain } from "../../support/pictures.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, eventsOf, makeTeam, statuses, type Team } from "../../support/teams.ts";

/* Who is behind an App. */

const service = serviceFor();
const change = (team: Team, profile: object) => ask(service, team.admin, "PATCH", team.path, { profile });

/** The id of a picture in the App's own storage. */
async function upload(team: Team): Promise<string> {
	const form = new FormData();
	form.set("file", new File([await plain(6, 6)], "logo.png"));
	const headers = { Authorization: `Bearer ${team.admin.secret}`, "X-Svc-App": team.appId };
	const answer = await service.api("/v1/images", { method: "POST", body: form, headers });
	return ((await answer.json()) as { id: string }).id;
}

const NOTHING = {
	developer: null,
	homepage_url: null,
	privacy_url: null,
	terms_url: null,
	support_email: null,
	logo_image_id: null,
	accent_color: null,
};

describe("a profile", () => {
	test("is empty at first; Admin and Owner change the fields that they send, null and an empty text clear one", async () => {
		const team = await makeTeam(service);
		expect((await ask(service, team.viewer, "GET", team.path)).body.profile).toEqual(NOTHING);
		const first = { developer: " Ada Press ", homepage_url: "https://example.com/", support_email: "help@example.com" };
		expect((await change(team, first)).body.profile).toEqual({ ...NOTHING, ...first, developer: "Ada Press" });
		const second = await change(team, {
			homepage_url: null,
			support_email: "",
			terms_url: "http://localhost:8080/terms",
		});
		const kept = { ...NOTHING, developer: "Ada Press", terms_url: "http://localhost:8080/terms" };
		expect(second.body.profile).toEqual(kept);
		expect((await ask(service, team.viewer, "GET", team.path)).body.profile).toEqual(kept);
		expect(await statuses((role) => ask(service, team[role], "PATCH", team.path, { profile: {} }))).toEqual([
			403, 403, 200, 200,
		]);
		const events = (await eventsOf(service, team)).filter((event) => event === "app.profile_changed");
		expect(events).toHaveLength(2);
	});

	test.each([
		["developer", "Svc Team"],
		["developer", "x".repeat(101)],
		["developer", "a\u202eb"],
		["homepage_url", "http://example.com"],
		["homepage_url", "javascript:alert(1)"],
		["privacy_url", "/privacy"],
		["privacy_url", "https://user:secret@example.com/"],
		["terms_url", `https://example.com/${"x".repeat(2_048)}`],
		["terms_url", "https://exa mple.com/"],
		["support_email", "nobody"],
		["logo_image_id", "img_unknown"],
		["accent_color", "red"],
		["accent_color", "#12345"],
		["accent_color", "#12345678"],
		["accent_color", "#12345g"],
		["accent_color", "#123456;}*{display:none}"],
		["accent_color", "1f6feb"],
		["logo_image_id", "https://example.com/logo.png"],
	])("422 names %s for %j, and changes nothing", async (field, value) => {
		const team = await makeTeam(service);
		const refused = await change(team, { developer: "Ada Press", [field]: value });
		expect([refused.status, Object.keys(refused.details)]).toEqual([422, [field]]);
		expect((await ask(service, team.viewer, "GET", team.path)).body.profile).toEqual(NOTHING);
	});

	test("its accent is kept as #rrggbb in small letters; null and an empty text clear it", async () => {
		const team = await makeTeam(service);
		expect((await change(team, { accent_color: " #1F6FEB " })).body.profile).toEqual({
			...NOTHING,
			accent_color: "#1f6feb",
		});
		for (const nothing of [null, ""]) {
			await change(team, { accent_color: "#1f6feb" });
			expect((await change(team, { accent_color: nothing })).body.profile).toEqual(NOTHING);
		}
	});

	test("422 for a field that no profile has, and for what is no profile", async () => {
		const team = await makeTeam(service);
		expect((await change(team, { website: "https://example.com" })).status).toBe(422);
		expect((await ask(service, team.admin, "PATCH", team.path, { profile: "x" })).status).toBe(422);
	});

	test("two people who change different fields at once change both", async () => {
		const team = await makeTeam(service);
		await Promise.all([change(team, { developer: "Ada Press" }), change(team, { terms_url: "https://example.com/t" })]);
		expect((await ask(service, team.viewer, "GET", team.path)).body.profile).toMatchObject({
			developer: "Ada Press",
			terms_url: "https://example.com/t",
		});
	});

	test("its logo is an image of the App's own storage, and of no other App's", async () => {
		const [team, other] = [await makeTeam(service), await makeTeam(service)];
		const own = await upload(team);
		const foreign = await upload(other);
		expect(Object.keys((await change(team, { logo_image_id: foreign })).details)).toEqual(["logo_image_id"]);
		expect((await change(team, { logo_image_id: own })).body.profile).toMatchObject({ logo_image_id: own });
	});
});
