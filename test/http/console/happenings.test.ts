import { afterAll, describe, expect, test } from "bun:test";
import { connectUser } from "../../support/apps.ts";
import type { Shown } from "../../support/browser.ts";
import { sendForm, signedIn } from "../../support/console.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send } from "../../support/requests.ts";
import { ask } from "../../support/teams.ts";
import { openHooks, status } from "../../support/webhooks.ts";

/* Webhooks with their deliveries, the feed, imports and jobs in the console, without a script; the receiver and the pictures are on loopback. */

const hooks = await openHooks();
const { service, origin, answers, withEndpoint } = hooks;
afterAll(() => hooks.close());

type Hook = Awaited<ReturnType<typeof withEndpoint>>;

const screenOf = ({ team }: Hook, rest: string) => `/console/${team.appId}/${rest}`;
const endpointOf = (hook: Hook) => screenOf(hook, `webhooks/${hook.endpoint.id}`);

/** What is in the lines of the page's tables, without tags. */
function linesOf({ html }: Shown): readonly string[] {
	const lines = [...html.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([, line = ""]) => line);
	return lines.map((line) =>
		line
			.replaceAll(/<[^>]*>/g, " ")
			.replaceAll(/\s+/g, " ")
			.trim(),
	);
}

function secretOn({ html }: Shown): string | undefined {
	return /<code class="secret"[^>]*>([^<]*)</.exec(html)?.[1];
}

describe("[C] an endpoint", () => {
	test("is made with its secret on the answer alone, changed, and deleted with what was typed kept where it is refused", async () => {
		const hook = await withEndpoint();
		const browser = await signedIn(service, hook.team.admin);
		const at = screenOf(hook, "webhooks");
		const page = await browser.open(at);
		const typed = { url: origin.url("/made"), types: "image.*\nkey.created", description: "Nightly" };
		const refused = await sendForm(browser, page, "create", { ...typed, types: "image.*\npicture.made" });
		expect([refused.status, /<textarea id="types"[^>]*aria-invalid="true"/.test(refused.html)]).toEqual([422, true]);
		expect(refused.html).toContain(`value="${typed.url}"`);
		const made = await sendForm(browser, page, "create", typed);
		expect([made.status, secretOn(made)]).toEqual([200, expect.stringMatching(/^whsec_/)]);
		expect(made.html).toContain(`SVC_WEBHOOK_SECRET=${secretOn(made)}`);
		const again = await sendForm(browser, page, "create", typed);
		expect([again.status, secretOn(again), linesOf(again).length]).toEqual([200, undefined, 2]);
		const one = [...made.links].find(([text]) => text === typed.url)?.[1] ?? "none";
		const saved = await sendForm(browser, await browser.open(one), "save", {
			...typed,
			description: "Daily",
			types: "*",
		});
		expect((await browser.follow(saved)).html).toContain("Daily");
		const id = one.split("/").at(-1);
		expect(await hook.ask("GET", `/${id}`)).toMatchObject({ types: ["*"], description: "Daily" });
		const gone = await browser.follow(await sendForm(browser, await browser.open(one), "delete"));
		expect([linesOf(gone).length, (await browser.open(one)).status]).toEqual([1, 404]);
	});

	test("gets another secret, is switched off and on, and says why it may not be tested while it is off", async () => {
		const hook = await withEndpoint();
		const browser = await signedIn(service, hook.team.owner);
		const rotated = await sendForm(browser, await browser.open(endpointOf(hook)), "rotate", { old_expires_in: "0" });
		const secret = secretOn(rotated);
		expect([rotated.status, secret === hook.secret, /^whsec_/.test(secret ?? "")]).toEqual([200, false, true]);
		const before = await browser.open(endpointOf(hook));
		const off = await browser.follow(await sendForm(browser, before, "disable"));
		expect([off.html.includes("Disabled."), (await hook.ask("GET", hook.at)).state]).toEqual([true, "disabled"]);
		const tested = await sendForm(browser, before, "test");
		expect([tested.status, tested.alerts]).toEqual([409, ["This endpoint is disabled; enable it first."]]);
		const on = await browser.follow(await sendForm(browser, off, "enable"));
		expect([on.html.includes("Enabled:"), (await hook.ask("GET", hook.at)).state]).toEqual([true, "enabled"]);
	});
});

describe("[C] a delivery", () => {
	test("of a test shows its request, its answer and its next try, and is sent again", async () => {
		const hook = await withEndpoint(status(500));
		const browser = await signedIn(service, hook.team.admin);
		const begun = await sendForm(browser, await browser.open(endpointOf(hook)), "test");
		await service.sendWebhooks();
		const shown = await browser.follow(begun);
		const [sent] = hook.got();
		expect(shown.title).toStartWith("webhook.test");
		expect(linesOf(shown)).toEqual([expect.stringMatching(/ \d+ 500$/)]);
		expect(shown.html).toContain(`webhook-id: ${sent?.headers["webhook-id"]}`);
		expect(shown.html).not.toContain("v1,");
		const body = /webhook-id: [^\n]*\n\n(.*?)<\/code>/s.exec(shown.html)?.[1]?.replaceAll("&quot;", '"') ?? "none";
		expect(JSON.parse(body)).toEqual(JSON.parse(sent?.body ?? ""));
		answers.set(sent?.path ?? "", status(204));
		await sendForm(browser, shown, "redeliver");
		await service.sendWebhooks();
		const after = await browser.open(shown.url);
		expect([hook.got().length, linesOf(after).length, after.html.includes("Delivered")]).toEqual([2, 2, true]);
		expect(hook.got()[1]?.headers["webhook-id"]).toBe(sent?.headers["webhook-id"] ?? "");
	});

	test("is found by state and type, and what was missed while an endpoint was off is sent afterwards", async () => {
		const hook = await withEndpoint(undefined, ["*"]);
		const browser = await signedIn(service, hook.team.admin);
		await sendForm(browser, await browser.open(endpointOf(hook)), "disable");
		const { id } = await hook.change();
		const on = await browser.follow(await sendForm(browser, await browser.open(endpointOf(hook)), "enable"));
		const since = new Date(service.clock.now()).toISOString().slice(0, 10);
		await browser.follow(await sendForm(browser, on, "recover", { since }));
		await service.runJobs();
		await service.sendWebhooks();
		const typesOn = async (query: string) =>
			linesOf(await browser.open(`${endpointOf(hook)}?${query}`)).map((line) => line.split(" ")[0]);
		expect(await typesOn("types=image.*&state=delivered")).toEqual(["image.created"]);
		expect(await typesOn("types=image.created%2Ckey.created")).toEqual(["image.created", "key.created"]);
		expect(await typesOn("state=failed")).toEqual([]);
		expect(await typesOn("types=webhook.test")).toEqual([]);
		expect(hook.got().map(({ body }) => JSON.parse(body).data.object.id)).toContain(id);
		expect((await browser.open(`${endpointOf(hook)}?types=picture.made`)).status).toBe(422);
	});
});

describe("[C] the feed", () => {
	test("shows the newest first, by type, page by page, and each event as programs read it", async () => {
		const hook = await withEndpoint();
		const caller = as(hook.team.editor, hook.team.appId);
		const { id } = await hook.change();
		for (let i = 0; i < 52; i++) await send(service, "PATCH", `/v1/images/${id}`, { caption: `No. ${i}` }, caller);
		const browser = await signedIn(service, hook.team.viewer);
		const first = await browser.open(screenOf(hook, "events"));
		expect(linesOf(first)).toHaveLength(50);
		expect(linesOf(first)[0]).toStartWith(`image.updated ${id} caption`);
		const second = await browser.open(first.links.get("Next") ?? "none");
		expect(linesOf(second).map((line) => line.split(" ")[0])).toEqual([
			"image.updated",
			"image.updated",
			"image.created",
			"key.created",
		]);
		// What has been turned over does not move; the first page goes on by itself.
		expect([first, second].map(({ html }) => html.includes('data-live="again"'))).toEqual([true, false]);
		const keys = await browser.open(screenOf(hook, "events?types=key.*"));
		expect(linesOf(keys).map((line) => line.split(" ")[0])).toEqual(["key.created"]);
		const one = await browser.open(first.links.get("image.updated") ?? "none");
		const said = JSON.parse(/<code id="event">(.*?)<\/code>/s.exec(one.html)?.[1]?.replaceAll("&quot;", '"') ?? "{}");
		const { data } = (await (await send(service, "GET", `/v1/events/${said.id}`, undefined, caller)).json()) as {
			data: unknown;
		};
		expect([one.status, said.data]).toEqual([200, data as never]);
	});
});

describe("[C] an import", () => {
	test("is begun with addresses and labels, and says what became of each, with the picture or the reason", async () => {
		const hook = await withEndpoint();
		const picture = await plain(12, 8);
		answers.set("/one.png", (_, response) => response.writeHead(200, { "Content-Type": "image/png" }).end(picture));
		answers.set("/two.png", status(404));
		const browser = await signedIn(service, hook.team.editor);
		const page = await browser.open(screenOf(hook, "imports"));
		const typed = { url: `${origin.url("/one.png")}\nnonsense`, labels: "album=moths" };
		const refused = await sendForm(browser, page, "create", typed);
		expect([refused.status, /<textarea id="url"[^>]*aria-invalid="true"/.test(refused.html)]).toEqual([422, true]);
		expect(refused.html).toContain('id="url-fault" role="alert">2: ');
		const url = `${origin.url("/one.png")}\n${origin.url("/two.png")}`;
		const begun = await sendForm(browser, page, "create", { ...typed, url });
		const again = await sendForm(browser, page, "create", { ...typed, url });
		expect([begun.status, again.location]).toEqual([303, begun.location]);
		expect((await browser.follow(begun)).html).toContain('data-live="poll"');
		await service.runJobs();
		const done = await browser.follow(begun);
		const [made, failed] = linesOf(done);
		expect([made, failed]).toEqual([
			expect.stringMatching(/^1 .* img_\w+ Made$/),
			expect.stringMatching(/^2 .*\w\. Failed$/),
		]);
		const image = [...done.links].find(([text]) => text.startsWith("img_"))?.[1] ?? "none";
		expect((await browser.open(image)).html).toContain("album=moths");
		expect(linesOf(await browser.open(`${begun.location}?state=failed`))).toHaveLength(1);
		const jobs = await browser.open(screenOf(hook, "jobs"));
		expect(linesOf(jobs)).toEqual([expect.stringMatching(/^Import Done 2 \/ 2 1 image made, 1 failed\. /)]);
		// The list of jobs leads to the same page.
		expect((await browser.open(jobs.links.get("Import") ?? "none")).location).toBe(begun.location);
	});

	test("into a user's storage stands in that storage alone, and is cancelled there", async () => {
		const hook = await withEndpoint();
		await ask(service, hook.team.owner, "PATCH", hook.team.path, { sign_in_enabled: true });
		const { id: user } = await connectUser(service.database, { id: hook.team.appId });
		const browser = await signedIn(service, hook.team.editor);
		const there = screenOf(hook, `imports?storage=${user}`);
		const typed = { url: origin.url("/one.png"), labels: "" };
		const begun = await browser.follow(await sendForm(browser, await browser.open(there), "create", typed));
		const over = await browser.follow(await sendForm(browser, begun, "cancel"));
		expect([over.status, linesOf(over)[0]]).toEqual([200, expect.stringContaining("Cancelled")]);
		expect(linesOf(await browser.open(there))).toHaveLength(1);
		expect(linesOf(await browser.open(screenOf(hook, "imports")))).toEqual([]);
		const [, job = "none"] = /imports\/(job_\w+)/.exec(begun.url) ?? [];
		expect((await browser.open(screenOf(hook, `jobs/${job}`))).status).toBe(200);
	});
});
