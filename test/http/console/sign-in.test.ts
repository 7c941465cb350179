import { describe, expect, test } from "bun:test";
import { postFile, sendForm, signedIn } from "../../support/console.ts";
import { plain } from "../../support/pictures.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";

/* How people sign in to an App, in the console without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const at = () => `/console/${team.appId}/sign-in`;
const app = async () => (await ask(service, team.viewer, "GET", team.path)).body;

describe("sign-in", () => {
	test("is turned on, gets a redirect URI, and the link to try it leads to the page of the consent", async () => {
		const admin = await signedIn(service, team.admin);
		const turned = await admin.follow(await sendForm(admin, await admin.open(at()), "turn"));
		expect([(await app()).sign_in_enabled, turned.html.includes("/connect?")]).toEqual([true, false]);
		const refused = await sendForm(admin, turned, "add", { uri: "http://shop.example/back" });
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="uri"[^>]*aria-invalid="true"[^>]*value="http:\/\/shop.example\/back"/);
		const added = await admin.follow(await sendForm(admin, refused, "add", { uri: "https://shop.example/back" }));
		const link = /href="([^"]*\/connect\?[^"]*)"/.exec(added.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
		expect((await admin.open(link)).html).toContain("Sign in to");
		await sendForm(admin, added, "remove");
		expect((await admin.open(at())).html).not.toContain("https://shop.example/back");
	});

	test("a profile is saved with what was typed, and a field that was emptied is cleared; a wrong one is refused beside it", async () => {
		const admin = await signedIn(service, team.admin);
		const typed = { developer: "Ada Press", privacy_url: "https://shop.example/privacy", accent_color: "#1f6feb" };
		await sendForm(admin, await admin.open(at()), "save", typed);
		expect((await app()).profile).toMatchObject(typed);
		const refused = await sendForm(admin, await admin.open(at()), "save", { developer: "Grace", privacy_url: "here" });
		expect(refused.status).toBe(422);
		expect(refused.html).toMatch(/<input id="privacy_url"[^>]*aria-invalid="true"/);
		expect(refused.html).toMatch(/<input id="developer"[^>]*value="Grace"/);
		await sendForm(admin, await admin.open(at()), "save", { privacy_url: "" });
		expect((await app()).profile).toMatchObject({ developer: "Ada Press", privacy_url: null });
	});

	test("a logo that is uploaded is an image of the App, is chosen in the profile, and is saved from there", async () => {
		const admin = await signedIn(service, team.admin);
		const page = await admin.open(at());
		const form = page.forms.find(({ action }) => action.includes("for=logo"));
		const sent = await postFile(service, admin, form?.action ?? "none", {
			bytes: await plain(96, 96),
			name: "logo.png",
		});
		const id = /logo=(img_\w+)/.exec(sent.location)?.[1] ?? "none";
		expect(sent.location).toBe(`${at()}?logo=${id}`);
		const again = await admin.open(sent.location);
		const chosen = /<input type="radio" name="logo_image_id" checked="" value="([^"]*)"/.exec(again.html)?.[1] ?? "";
		expect(chosen).toBe(id);
		await sendForm(admin, again, "save", { logo_image_id: chosen });
		expect((await app()).profile).toMatchObject({ logo_image_id: id });
		const another = again.forms.find(({ action }) => action.includes("for=logo"));
		const no = await postFile(service, admin, another?.action ?? "none", {
			bytes: new TextEncoder().encode("no picture"),
			name: "logo.png",
		});
		expect([no.status, no.html.includes("<h1>Sign-in</h1>")]).toEqual([422, true]);
	});

	test("the preview is the page that people see, in a frame of the console alone, and nothing on it does anything", async () => {
		const viewer = await signedIn(service, team.viewer);
		expect((await viewer.open(at())).html).toMatch(/<iframe[^>]*src="[^"]*\/sign-in\/preview"[^>]*sandbox=""/);
		const page = await viewer.open(`${at()}/preview`);
		const uri = "https://shop.example/back";
		await ask(service, team.admin, "POST", `${team.path}/redirect_uris`, { uri });
		const real = await viewer.open(
			`/connect?${new URLSearchParams({ app: team.appId, redirect_uri: uri, other: "1" })}`,
		);
		const said = (html: string) =>
			[...html.matchAll(/<(?:h1|li|a|label)\b[^>]*>(?:<[^>]*>)*([^<]+)/g)].map((one) => one[1]);
		expect(said(page.html)).toEqual(said(real.html));
		const policy = page.headers.get("content-security-policy");
		expect(policy).toContain("frame-ancestors 'self'");
		expect([policy?.includes("script-src"), page.headers.get("x-frame-options")]).toEqual([false, "SAMEORIGIN"]);
		expect(page.forms.map(({ fields }) => fields.form_token)).toContain("");
	});
});
