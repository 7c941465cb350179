import { describe, expect, test } from "bun:test";
import { payAndReturn } from "../../support/billing.ts";
import { formOf, sendForm, signedIn } from "../../support/console.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { addCustomer, openShop, subscribe } from "../../support/subscribers.ts";
import { ask, makeTeam, type Team } from "../../support/teams.ts";

/* An App's own plan and its end, in the console without a script. No amount is charged that did not stand on the button. */

const service = serviceFor();
const team: Team = madeBefore(() => makeTeam(service, "Moth Garden"));
const at = () => `/console/${team.appId}/plan`;
const billing = async () => (await ask(service, team.owner, "GET", `${team.path}/billing`)).body;
const buttons = (html: string) =>
	[...html.matchAll(/<button[^>]*type="submit"[^>]*>(.*?)<\/button>/g)].map((one) =>
		one[1]?.replaceAll(/<[^>]*>/g, ""),
	);

describe("the App's own plan", () => {
	test("has its price on the button, leads to where it is paid, and its invoices are those of REST [C]", async () => {
		const owner = await signedIn(service, team.owner);
		const page = await owner.open(at());
		expect(buttons(page.html)).toContain("pro: $20.00 a month");
		const led = await sendForm(owner, page, "checkout", { plan: "pro" });
		const url = /<a class="button primary" href="([^"]+)"/.exec(led.html)?.[1] ?? "none";
		expect([led.status, led.html.includes(`content="0; url=${url}"`)]).toEqual([200, true]);
		await payAndReturn(service, url);
		const paid = await owner.open(at());
		expect([(await billing()).plan, paid.html.includes("In force")]).toEqual(["pro", true]);
		const invoices = (await ask(service, team.owner, "GET", `${team.path}/billing/invoices`)).body.data as {
			number: string;
		}[];
		expect(invoices.map(({ number }) => paid.html.includes(`>${number}</a>`))).toEqual([true]);
	});

	test("changes to a dearer one for just what the button says, and to a cheaper one for nothing [C]", async () => {
		const owner = await signedIn(service, team.owner);
		const list = await owner.open(at());
		expect(list.forms.filter(({ fields }) => fields.act === "checkout")).toEqual([]);
		service.clock.advance(3 * 86_400_000);
		const late = await owner.open(`${at()}?plan=unlimited&interval=month`);
		service.clock.advance(16 * 60_000);
		expect((await sendForm(owner, late, "checkout")).status).toBe(422);
		expect((await billing()).plan).toBe("pro");
		const asked = await owner.open(`${at()}?plan=unlimited&interval=month`);
		const [words = ""] = buttons(asked.html).filter((one) => one?.startsWith("Pay $"));
		// A cent less by then, as it is counted: what was shown counts.
		service.clock.advance(14 * 60_000);
		await sendForm(owner, asked, "checkout");
		const [newest] = (await ask(service, team.owner, "GET", `${team.path}/billing/invoices`)).body.data as {
			amount_paid: number;
		}[];
		expect(words).toBe(`Pay $${((newest?.amount_paid ?? 0) / 100).toFixed(2)} now`);
		expect((await billing()).plan).toBe("unlimited");
		const back = await owner.open(`${at()}?plan=pro&interval=month`);
		expect(buttons(back.html).some((one) => /^Change on .*: \$20\.00$/.test(one ?? ""))).toBe(true);
		await sendForm(owner, back, "checkout");
		expect(await billing()).toMatchObject({ plan: "unlimited", pending_plan: "pro" });
	});

	test("charges nothing by a preview that is over, or that never was: it is asked for anew [C]", async () => {
		const change = { plan: "unlimited", interval: "month" };
		for (const when of ["2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z"]) {
			const { status, details } = await ask(service, team.owner, "POST", `${team.path}/billing/checkout`, {
				...change,
				at: when,
			});
			expect([status, Object.keys(details)]).toEqual([422, ["at"]]);
		}
		const of = await makeTeam(service, "Free");
		expect((await ask(service, of.owner, "GET", `${of.path}/billing/preview?plan=pro`)).status).toBe(409);
		expect((await ask(service, of.owner, "GET", `${of.path}/billing/preview?plan=gold`)).status).toBe(422);
	});

	test("is cancelled to the end of its term, and resumed; an Admin does both and buys nothing [C]", async () => {
		const admin = await signedIn(service, team.admin);
		const page = await admin.open(at());
		expect(page.forms.some(({ fields }) => fields.act === "checkout")).toBe(false);
		const cancelled = await admin.follow(await sendForm(admin, page, "cancel"));
		expect([(await billing()).cancel_at_period_end, cancelled.html.includes("it ends with its term")]).toEqual([
			true,
			true,
		]);
		await sendForm(admin, cancelled, "resume");
		expect((await billing()).cancel_at_period_end).toBe(false);
	});
});

describe("the end of an App", () => {
	test("says in figures what is lost, asks for the name, and for who somebody is", async () => {
		const of = await makeTeam(service, "To be deleted");
		const settings = `/console/${of.appId}/settings`;
		const owner = await signedIn(service, of.owner);
		const page = await owner.open(settings);
		expect(page.html).toContain("with 0 images (0 bytes) and the storages of 0 users");
		const refused = await sendForm(owner, page, "delete", { confirm_name: "Another" });
		expect([refused.status, /<input id="confirm_name"[^>]*aria-invalid="true"/.test(refused.html)]).toEqual([
			422,
			true,
		]);
		const stale = await signedIn(service, of.owner, { freshForMs: 0 });
		const asked = await sendForm(stale, await stale.open(settings), "delete", { confirm_name: "To be deleted" });
		expect(asked.location).toStartWith("/account/confirm");
		const gone = await sendForm(owner, await owner.open(settings), "delete", { confirm_name: "To be deleted" });
		expect((await owner.follow(gone)).html).toContain("The App is being deleted.");
		await service.runJobs();
		expect((await owner.open(settings)).status).toBe(404);
	});

	test("is refused while people pay, and ends what they pay for once that box is ticked [C]", async () => {
		const shop = await openShop(service);
		await subscribe(await addCustomer(service, shop), shop.silver);
		const settings = `/console/${shop.app.id}/settings`;
		const owner = await signedIn(service, { id: shop.app.ownerId });
		const { name = "" } = formOf(await owner.open(settings), "save").fields;
		const refused = await sendForm(owner, await owner.open(settings), "delete", { confirm_name: name });
		expect([refused.status, refused.html.includes('name="cancel_subscriptions"')]).toEqual([409, true]);
		expect(refused.html).toMatch(new RegExp(`<input id="confirm_name"[^>]*value="${name}"`));
		const ticked = { confirm_name: name, cancel_subscriptions: "true" };
		expect((await sendForm(owner, refused, "delete", ticked)).location).toBe("/console");
	});
});
