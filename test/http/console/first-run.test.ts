import { describe, expect, test } from "bun:test";
import sharp from "sharp";
import { Browser, type Shown } from "../../support/browser.ts";
import { postFile, signedIn } from "../../support/console.ts";
import { addPerson, as } from "../../support/people.ts";
import { bytesOf, drawn } from "../../support/rendering.ts";
import { send, uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { makeKey, makeTeam } from "../../support/teams.ts";

/* From an App without a picture to one in eight forms. */

const service = serviceFor();

/** Wide, and each place another colour. */
const photo = async () => await bytesOf(drawn(660, 440, (x, y) => [x % 256, y % 256, (x + y) % 256]).png());

/** Addresses of the pictures that a page shows, in their order. */
function picturesOn({ html }: Shown): readonly string[] {
	return [...html.matchAll(/<img src="([^"]*)"/g)].map(([, address = ""]) => plain(address));
}

/** What stands in an element, as a person copies it. */
function textOf({ html }: Shown, id: string): string {
	const [, text = ""] = new RegExp(`<code id="${id}">([^<]*)</code>`).exec(html) ?? [];
	return plain(text);
}

function plain(html: string): string {
	return html
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&#x27;", "'")
		.replaceAll("&amp;", "&");
}

/** The address of the form that takes a file. */
const uploadOn = (page: Shown) => page.forms.find(({ action }) => action.includes("/upload?"))?.action ?? "none";

describe("the first picture of an App", () => {
	test("is taken by the empty grid and by the Overview, and shown at once in eight forms that answer, with code to copy", async () => {
		const team = await makeTeam(service, 'Moth & "Garden"');
		await makeKey(service, team.owner, team.path, { name: "Web server" });
		const owner = await signedIn(service, team.owner);
		const overview = await owner.open(`/console/${team.appId}`);
		const grid = await owner.open(`/console/${team.appId}/images`);
		expect([uploadOn(overview), uploadOn(grid)].map((action) => action.includes("first=1"))).toEqual([true, true]);
		const file = { bytes: await photo(), name: "moth.png" };
		const sent = await postFile(service, owner, uploadOn(grid), file);
		expect(sent.status).toBe(303);
		const page = await owner.open(sent.location);
		expect(page.title).toStartWith("moth.png");
		const shown = picturesOn(page);
		expect(shown).toHaveLength(8);
		const sizes: string[] = [];
		for (const [place, address] of shown.entries()) {
			const answer = await service.open(address, { headers: { Accept: "image/avif,image/webp,*/*" } });
			expect([address, answer.status]).toEqual([address, 200]);
			const { width, height } = await sharp(await answer.bytes()).metadata();
			sizes.push(`${width}×${height} ${answer.headers.get("content-type")}`);
			const id = `form-${place + 1}`;
			expect(textOf(page, id)).toBe(address);
			expect(textOf(page, `${id}-img`)).toBe(`<img src="${address.replaceAll("&", "&amp;")}" alt="moth.png">`);
			expect(textOf(page, `${id}-curl`)).toEndWith(`"${address}"`);
		}
		expect(sizes).toEqual([
			"660×440 image/png",
			"640×427 image/png",
			"300×300 image/png",
			"480×320 image/png",
			"640×427 image/avif",
			"640×427 image/webp",
			"300×300 image/png",
			"400×600 image/png",
		]);
		expect(textOf(page, "step-env")).toBe(
			`# Moth & "Garden": ${team.appId}\nSVC_BASE_URL=http://localhost:3000\nSVC_API_KEY=   # Web server`,
		);
		expect(page.links.get("Make any other form of this picture")).toBe(sent.location.replace("/forms", ""));
		const after = await owner.open(`/console/${team.appId}/images`);
		expect(uploadOn(after)).not.toContain("first=1");
	});

	test("[C] is asked of nobody who may not upload, and shows nothing that the App would not answer", async () => {
		const team = await makeTeam(service, "Closed");
		const viewer = await signedIn(service, team.viewer);
		for (const path of [`/console/${team.appId}`, `/console/${team.appId}/images`])
			expect([path, uploadOn(await viewer.open(path))]).toEqual([path, "none"]);
		const { id } = await uploaded(service, await photo(), "closed.png", {}, as(team.editor, team.appId));
		const forms = `/console/${team.appId}/images/${id}/forms`;
		expect(picturesOn(await viewer.open(forms))).toHaveLength(8);
		await send(service, "PATCH", team.path, { delivery: "signed" }, as(team.owner));
		expect(picturesOn(await viewer.open(forms))).toEqual([]);
	});
});

describe("/", () => {
	test("leads whoever is signed in and works on an App to their Apps, and tells everybody else what this place is", async () => {
		const team = await makeTeam(service, "Led");
		const { status, location } = await (await signedIn(service, team.viewer)).open("/");
		expect([status, location]).toEqual([303, "/console"]);
		const stranger = await new Browser(service).open("/");
		const user = await (await signedIn(service, await addPerson(service.database))).open("/");
		for (const page of [stranger, user])
			expect([page.status, page.links.get("the console")]).toEqual([200, "/console"]);
	});
});
