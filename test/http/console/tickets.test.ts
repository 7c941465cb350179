import { expect, test } from "bun:test";
import { sendForm, signedIn } from "../../support/console.ts";
import { plain } from "../../support/pictures.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { makeTeam, type Team } from "../../support/teams.ts";

/* Upload tickets, in the console without a script. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const at = () => `/console/${team.appId}/tickets`;

async function upload(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<number> {
	const body = new FormData();
	body.set("file", new File([bytes], "sent.png"));
	return (await service.open(url, { method: "POST", body })).status;
}

test("a ticket's address is shown once and takes one picture; what was refused says why, what was used leads to its picture [C]", async () => {
	const editor = await signedIn(service, team.editor);
	const wrong = await sendForm(editor, await editor.open(at()), "create", { expires_in: "a year", origins: "" });
	expect(wrong.status).toBe(422);
	expect(wrong.html).toMatch(/<input id="expires_in"[^>]*aria-invalid="true"[^>]*value="a year"/);
	const made = await sendForm(editor, wrong, "create", { expires_in: "10m", max_bytes: "500000" });
	const url = /id="address"[^>]*>([^<]+)</.exec(made.html)?.[1] ?? "none";
	expect(await upload(url, new TextEncoder().encode("no picture"))).toBe(422);
	const refused = await editor.open(at());
	expect([refused.html.includes("is not a picture of a known format"), refused.html.includes(url)]).toEqual([
		true,
		false,
	]);
	expect(await upload(url, await plain(9, 9))).toBe(201);
	const used = await editor.open(`${at()}?state=used`);
	const picture = /href="([^"]*\/images\/img_\w+)"/.exec(used.html)?.[1] ?? "none";
	expect((await editor.open(picture)).title).toContain("sent.png");
	expect((await editor.open(`${at()}?state=open`)).html).toContain("There is no such ticket.");
	expect((await editor.open(`${at()}?state=lost`)).status).toBe(422);
});
