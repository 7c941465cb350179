import { expect, test } from "bun:test";
import { createClient } from "@svc/sdk/client";
import { createManagement } from "@svc/sdk/management";
import type { Asked } from "./asked.ts";
import { firstEvents } from "./feed.ts";

/** A feed of so many events, and the number of pages that were asked for. */
function feedOf(count: number) {
	let pages = 0;
	const fetch = async (url: string) => {
		pages++;
		const after = Number(new URL(url).searchParams.get("after")?.slice(4) ?? 0);
		const ids = Array.from({ length: Math.min(100, count - after) }, (_, index) => ({
			id: `evt_${after + index + 1}`,
		}));
		const pagination = { has_more: after + ids.length < count, next_cursor: null };
		return Response.json({ object: "list", data: ids, pagination, latest: `evt_${count}` });
	};
	const options = { baseUrl: "http://svc.test", apiKey: "svc_sk_x", retries: 0, fetch };
	const asked = {
		management: createManagement(options),
		clientOf: () => createClient(options),
		app: "app_1",
		signal: new AbortController().signal,
	} as unknown as Asked;
	return { asked, pages: () => pages };
}

test("all pages of the feed are read, the newest event first, as many as the screen keeps [tui.events.pages]", async () => {
	const { asked, pages } = feedOf(250);
	const { things, after } = await firstEvents(asked);
	expect([things.length, things[0]?.id, things.at(-1)?.id, after, pages()]).toEqual([
		250,
		"evt_250",
		"evt_1",
		"evt_250",
		3,
	]);
});

test("of a longer feed the list begins with what happens from now on [tui.events.long]", async () => {
	const { asked, pages } = feedOf(5_000);
	expect([await firstEvents(asked), pages()]).toEqual([{ things: [], nextCursor: undefined, after: "evt_5000" }, 10]);
	const exact = await firstEvents(feedOf(1_000).asked);
	expect(exact.things).toHaveLength(1_000);
});
