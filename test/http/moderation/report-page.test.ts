import { expect, test } from "bun:test";
import { newId } from "@svc/base/ids";
import { sql } from "drizzle-orm";
import { Browser } from "../../support/browser.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";

const service = serviceFor();

const browse = () => new Browser(service);

async function reportsOn(imageId: string): Promise<unknown[][]> {
	return service.database.read(() =>
		service.database.queries.values(sql`SELECT reason, note, email FROM reports WHERE image_id = ${imageId}`),
	);
}

test("anybody reports a picture; an unknown one is answered with the same page", async () => {
	const image = await uploaded(service, await plain(5, 5));
	const pages: string[] = [];
	for (const id of [image.id, newId("img")]) {
		const browser = browse();
		const page = await browser.open(`/report/${id}`);
		expect([page.status, page.title]).toEqual([200, "Report a picture · Svc"]);
		const sent = await browser.submit(page, "/report/", {
			reason: "dmca",
			note: "My <b>work</b>",
			email: "me@example.com",
		});
		expect([sent.status, sent.location]).toEqual([303, `/report/${id}?sent=1`]);
		const thanks = await browser.follow(sent);
		expect([thanks.status, thanks.title]).toEqual([200, "Thank you for the report · Svc"]);
		pages.push(thanks.html);
	}
	expect(pages[0]).toBe(pages[1] ?? "");
	expect(await reportsOn(image.id)).toEqual([["dmca", "My <b>work</b>", "me@example.com"]]);
});

test("the page shows the picture whose address the link gave, as the visitor's own browser loads it, and no other", async () => {
	const [image, other] = [await uploaded(service, await plain(5, 7)), await uploaded(service, await plain(7, 5))];
	const shown = async (id: string, address?: string) => {
		const page = await browse().open(
			`/report/${id}${address === undefined ? "" : `?${new URLSearchParams({ picture: address })}`}`,
		);
		expect(page.html).toContain(`Picture <code>${id}</code>`);
		const from = /img-src 'self' ?([^;]*);/.exec(page.headers.get("Content-Security-Policy") ?? "")?.[1];
		return [/<img src="([^"]*)"/.exec(page.html)?.[1]?.replaceAll("&amp;", "&"), from];
	};
	const { cdn } = service.rooms.addresses;
	expect(await shown(image.id, `${image.url}?w=100`)).toEqual([`${image.url}?w=100`, cdn]);
	const unknown = newId("img");
	const theirs = image.url.replace(image.id, unknown);
	// Nothing is looked up: an address that leads nowhere looks the same.
	expect(await shown(unknown, theirs)).toEqual([theirs, cdn]);
	const elsewhere = ["https://evil.example/a/", `${cdn}.evil.example/a/`, "javascript:", `${cdn}/../`].map(
		(start) => `${start}${image.id}.png`,
	);
	for (const address of [undefined, "", other.url, ...elsewhere])
		expect([address, ...(await shown(image.id, address))]).toEqual([address, undefined, ""]);
});

test("note and address may be left out; what is wrong is said beside its field, and what was written stays", async () => {
	const image = await uploaded(service, await plain(6, 5));
	const browser = browse();
	const page = await browser.open(`/report/${image.id}`);
	const refused = await browser.submit(page, "/report/", { note: "<textarea>x", email: "nobody" });
	expect(refused.status).toBe(422);
	expect(refused.alerts).toEqual(["Choose what is wrong.", "This is not an e-mail address."]);
	expect(refused.html).toContain("&lt;textarea&gt;x</textarea>");
	// The first fault, and it alone, has the focus.
	expect(refused.html.match(/<[^>]*autofocus[^>]*>/g)).toEqual([expect.stringContaining('name="reason"')]);
	expect((await browser.submit(page, "/report/", { reason: "nonsense" })).status).toBe(422);
	expect((await browser.submit(page, "/report/", { reason: "spam", note: "a".repeat(2_001) })).status).toBe(422);
	expect(await reportsOn(image.id)).toEqual([]);
	expect((await browser.submit(page, "/report/", { reason: "spam" })).status).toBe(303);
	expect(await reportsOn(image.id)).toEqual([["spam", null, null]]);
});

test("a form from another site reports nothing; what is no image's id has no page", async () => {
	const id = newId("img");
	const browser = browse();
	const page = await browser.open(`/report/${id}`);
	const foreign = { headers: { Origin: "https://evil.example" } };
	expect((await browser.submit(page, "/report/", { reason: "spam" }, foreign)).status).toBe(403);
	expect((await browse().post(`/report/${id}`, { reason: "spam" })).status).toBe(403);
	for (const path of ["/report/nonsense", "/report/", `/report/${newId("app")}`])
		expect((await browser.open(path)).status).toBe(404);
});

test("past the limit of one network the form says how long to wait", async () => {
	const browser = browse();
	const headers = { "X-Forwarded-For": "203.0.113.7" };
	const page = await browser.open(`/report/${newId("img")}`);
	const statuses: number[] = [];
	for (let times = 0; times < 11; times++)
		statuses.push((await browser.submit(page, "/report/", { reason: "spam" }, { headers })).status);
	expect(statuses).toEqual([...Array<number>(10).fill(303), 429]);
});
