import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "@svc/sdk/client";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { serviceFor } from "../../support/service.ts";
import { addCustomer, openShop } from "../../support/subscribers.ts";

/* Blocks of the guides about a user who has no room left, run as they stand. */

const GUIDES = join(import.meta.dirname, "../../../docs/guides");
const service = serviceFor({ SVC_VARIANT: "current" });

/** The block behind a mark of the guide, or the one that holds a text. */
async function blockOf(guide: string, mark: string): Promise<string> {
	const text = await readFile(join(GUIDES, guide), "utf8");
	const blocks = [...text.matchAll(/(?:<!-- run: (\w+) -->\n)?```js\n([\s\S]*?)```/g)];
	const found = blocks.find(([, name]) => name === mark) ?? blocks.find(([, , code = ""]) => code.includes(mark));
	if (found?.[2] === undefined) throw new Error(`${guide} has no block ${mark}`);
	return found[2];
}

test("upload-from-browsers.md and selling.md: a user without room is told before a file is sent, where there is more, and how many are left", async () => {
	const shop = await openShop(service);
	const { user } = await addCustomer(service, shop);
	const free_limits = { images: 2 };
	await made(send(service, "PATCH", `/v1/apps/${shop.app.id}`, { free_limits }, shop.owner));
	const svc = createClient({ baseUrl: service.rooms.addresses.base, apiKey: shop.app.key, fetch: service.open });
	const ticketFor = new Function("svc", `${await blockOf("upload-from-browsers.md", "ticket")} return ticketFor;`)(svc);
	const text = async () => {
		const code = await blockOf("selling.md", "limits.images === null");
		return await new Function("svc", "user", `return (async () => { ${code} return text; })()`)(svc, user);
	};

	let asked = 0;
	/** Of the page: its backend, and the service. */
	const answer = async (): Promise<Response> => {
		asked++;
		const { status, body } = await ticketFor(user);
		return Response.json(body, { status });
	};
	const upload = (url: string, file: Blob) => uploadWithTicket(url, file, { fetch: service.open });
	const page = new Function(
		"fetch",
		"uploadWithTicket",
		`${await blockOf("upload-from-browsers.md", "page")} return send;`,
	);
	const sendFile = page(answer, upload);
	const said: unknown[] = [];
	const say = (...words: unknown[]) => said.push(words);
	const file = new Blob([await plain(8, 8)]);

	await sendFile(file, say);
	expect([said, await text()]).toEqual([[], "1 of 2 pictures"]);
	// The last place goes while a ticket is out.
	const late = page(async () => {
		const given = await answer();
		await uploaded(service, await plain(9, 9), "b.png", {}, { key: shop.app.key, headers: { "X-Svc-User": user.id } });
		return given;
	}, upload);
	await late(file, say);
	await sendFile(file, say);
	expect(said).toEqual([
		["There is no room for this picture.", "/billing"],
		["You have no room for more pictures.", "/billing"],
	]);
	expect([asked, await text()]).toEqual([3, "2 of 2 pictures"]);
});
