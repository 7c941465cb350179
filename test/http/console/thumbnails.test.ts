import { expect, test } from "bun:test";
import { placeholdersMade } from "../../support/background.ts";
import { signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { noise, plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { serviceFor } from "../../support/service.ts";
import { ask, makeTeam } from "../../support/teams.ts";
import { until } from "../../support/workers.ts";

/* The small pictures of the console's lists. */

const service = serviceFor({ SVC_TUNING: "warm_sizes=on" });

async function metric(pattern: RegExp): Promise<number> {
	const text = await (await service.api("/metrics", { headers: {} })).text();
	return Number(pattern.exec(text)?.[1] ?? 0);
}

const served = (outcome: string) =>
	metric(new RegExp(`^svc_cdn_requests_total\\{outcome="${outcome}"\\} (\\d+)$`, "m"));
const kept = () => metric(/^svc_cdn_cache_small_bytes (\d+)$/m);

test("opening a page of pictures makes no rendition, however often: each has its smallest size, its room and its own colour before it is there [C]", async () => {
	service.startJobs();
	const team = await makeTeam(service);
	const editor = as(team.editor, team.appId);
	const before = await kept();
	const colours = ["#c03020", "#2050c0"];
	for (const colour of colours)
		await uploaded(service, await plain(1_200, 800, "jpeg", colour), "wide.jpg", {}, editor);
	await uploaded(service, await noise(700, 1_400), "tall.jpg", {}, editor);
	await placeholdersMade(service);
	// Whole blocks of each of the three.
	await until(async () => (await kept()) >= before + 3 * 4_096);
	await ask(service, team.admin, "PATCH", team.path, { delivery: "signed" });
	const browser = await signedIn(service, team.viewer);
	for (const view of ["", "?order=asc", "?view=table", ""]) {
		const { html } = await browser.open(`/console/${team.appId}/images${view}`);
		const pictures = [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);
		expect(pictures).toHaveLength(3);
		for (const tag of pictures) {
			expect(tag).toMatch(/ width="\d+"/);
			expect(tag).toMatch(/ height="\d+"/);
			expect(tag).toContain('loading="lazy"');
			const address = (/src="([^"]*)"/.exec(tag)?.[1] ?? "").replaceAll("&amp;", "&");
			const answer = await service.open(address);
			expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "image/jpeg"]);
			expect((await answer.bytes()).length).toBeLessThan(256 * 1_024);
		}
		const behind = [...html.matchAll(/<rect [^>]*fill="(#[0-9a-f]{6})"/g)].map(([, colour]) => colour);
		expect(behind).toHaveLength(3);
		expect(html).toMatch(/width="480" height="320"[^>]*>/);
		expect(html).toMatch(/width="320" height="640"[^>]*>/);
	}
	expect([await served("rendered"), await served("joined")]).toEqual([0, 0]);
	expect((await served("hit-memory")) + (await served("hit-disk"))).toBe(12);
});
