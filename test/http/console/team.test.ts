import { describe, expect, test } from "bun:test";
import { sendForm, signedIn } from "../../support/console.ts";
import { addPerson } from "../../support/people.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeKey, makeTeam, type Team } from "../../support/teams.ts";

/* Who works on an App, in the console without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const at = (of = team) => `/console/${of.appId}/team`;
const roleOf = async (id: string, of = team) => {
	const { data } = (await ask(service, of.owner, "GET", `${of.path}/members`)).body as {
		data: { id: string; role: string }[];
	};
	return data.find((one) => one.id === id)?.role;
};
const formFor = (member: string, act: string) => `value="${member}"/><input type="hidden" name="act" value="${act}"`;

describe("the team", () => {
	test("an invite's link is shown once, and whoever it is for gets in by it where no mail arrives", async () => {
		const admin = await signedIn(service, team.admin);
		const grace = await addPerson(service.database);
		const typed = { email: grace.email, role: "editor" };
		const page = await admin.open(at());
		const made = await sendForm(admin, page, "invite", typed);
		const link = /id="link"[^>]*>([^<]+)</.exec(made.html)?.[1] ?? "";
		expect([made.status, link.startsWith("http://localhost:3000/invites/inv_")]).toEqual([200, true]);
		expect((await sendForm(admin, page, "invite", typed)).html).not.toContain(link);
		expect((await admin.open(at())).html).not.toContain(new URL(link).searchParams.get("token") ?? "none");
		const browser = await signedIn(service, grace);
		const asked = await browser.follow(await browser.open(new URL(link).pathname + new URL(link).search));
		const joined = await browser.submit(asked, "/invites/", {});
		expect([joined.location, await roleOf(grace.id)]).toEqual([`/console/${team.appId}/images`, "editor"]);
	});

	test("an invite that was taken back leads nowhere; a wrong address is refused beside its field and kept", async () => {
		const admin = await signedIn(service, team.admin);
		const refused = await sendForm(admin, await admin.open(at()), "invite", { email: "nobody", role: "viewer" });
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="email"[^>]*aria-invalid="true"[^>]*value="nobody"/);
		await sendForm(admin, await admin.open(at()), "invite", { email: "late@example.com", role: "viewer" });
		const page = await admin.open(at());
		expect(page.html).toContain("late@example.com");
		await sendForm(admin, page, "withdraw");
		expect((await admin.open(at())).html).not.toContain("late@example.com");
	});

	test("a role that would end keys is 409 naming them, and is changed once that is said on the button", async () => {
		const of = await makeTeam(service, "Keys that would end");
		await makeKey(service, of.admin, of.path, { name: "Web server" });
		const owner = await signedIn(service, of.owner);
		const typed = { member: of.admin.id, role: "viewer" };
		const refused = await sendForm(owner, await owner.open(at(of)), "role", typed);
		expect([refused.status, await roleOf(of.admin.id, of)]).toEqual([409, "admin"]);
		expect(refused.html).toContain("<bdi>Web server</bdi>");
		expect(refused.html).toContain("Save and revoke 1 key<");
		const again = refused.forms.find(({ fields }) => fields.revoke_keys === "true" && fields.act === "role");
		expect(again?.fields.member).toBe(of.admin.id);
		await owner.post(at(of), { ...again?.fields, role: "viewer" });
		expect(await roleOf(of.admin.id, of)).toBe("viewer");
	});

	test("everybody but the Owner may leave, and then sees nothing of the App; a Viewer removes nobody else", async () => {
		const viewer = await signedIn(service, team.viewer);
		const page = await viewer.open(at());
		expect(page.html).toContain(formFor(team.viewer.id, "remove"));
		expect((await sendForm(viewer, page, "remove", { member: team.editor.id })).status).toBe(403);
		const left = await sendForm(viewer, await viewer.open(at()), "remove");
		expect([left.location, (await viewer.follow(left)).html.includes("You have left the team.")]).toEqual([
			"/console",
			true,
		]);
		expect((await viewer.open(at())).status).toBe(404);
		const owner = await signedIn(service, team.owner);
		expect((await owner.open(at())).html).not.toContain(formFor(team.owner.id, "remove"));
	});
});
