import { describe, expect, test } from "bun:test";
import { APP_STATES } from "@svc/apps/apps";
import * as lists from "@svc/base/enumerations";
import { JOB_KINDS } from "@svc/jobs/jobs";
import { MAIL_STATES, MAIL_TEMPLATES } from "@svc/mail/mail";
import { MODERATION_STATES } from "@svc/moderation/deeds";
import { REPORT_STATES } from "@svc/moderation/reports";
import { SCOPES } from "@svc/people/people";
import { sql } from "drizzle-orm";
import { Browser } from "../../support/browser.ts";
import { acted, itemOf } from "../../support/moderation.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { type Caller, send, uploaded } from "../../support/requests.ts";
import { addPlan, addPrice, type Listed, made, sellingApp } from "../../support/selling.ts";
import { madeBefore, openService, serviceFor } from "../../support/service.ts";
import { makeTeam } from "../../support/teams.ts";
import { readTicket, ticket } from "../../support/tickets.ts";

/*
 * Every word that a request may say, sent through HTTP into its table and back. The words come from the lists themselves: a new one is
 * tried without a change here, and fails where a condition of a table, a schema or a text lacks it.
 */

const service = serviceFor();
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
const team = madeBefore(() => makeTeam(service));
const file = await plain(4, 4);

type Body = Readonly<Record<string, unknown>>;
const call = <T = Body>(person: Pick<TestPerson, "secret">, method: string, path: string, body?: unknown): Promise<T> =>
	made<T>(send(service, method, path, body, as(person)));
const listed = async (person: TestPerson, path: string) => (await call<{ data: Body[] }>(person, "GET", path)).data;
const image = async () => (await uploaded(service, file)).id;
const stored = async (query: ReturnType<typeof sql>) =>
	(await service.database.read(() => service.database.queries.values(query)))[0];

/** One hour on: no limit of reports is in the way. */
async function report(imageId: string, reason: string): Promise<Body> {
	service.clock.advance(3_600_000);
	const url = `${service.rooms.addresses.web}/i/${imageId}`;
	await made(send(service, "POST", "/v1/reports", { url, reason }));
	const found = (await listed(operator, "/v1/moderation/reports")).find((one) => one.image_id === imageId);
	if (!found) throw new Error(`no report of ${imageId}`);
	return found;
}

describe.each(lists.BLOCK_REASONS)("the reason %s", (reason) => {
	test("of a report over the API", async () => {
		expect(await report(await image(), reason)).toMatchObject({ reason });
	});

	test("of a report from the page, which has words of its own for it", async () => {
		service.clock.advance(3_600_000);
		const id = await image();
		const browser = new Browser(service);
		const page = await browser.open(`/report/${id}`);
		expect(page.html).toContain(`value="${reason}"`);
		expect((await browser.submit(page, "/report/", { reason })).status).toBe(303);
		expect(await stored(sql`SELECT reason FROM reports WHERE image_id = ${id}`)).toEqual([reason]);
	});

	test("of a block, which the owner of the image is told of", async () => {
		const id = await image();
		expect(await acted(service, operator, id, "block", { reason })).toMatchObject({
			blocked_reason: reason,
			actions: [{ action: "block", reason }],
		});
		expect(await (await service.api(`/v1/images/${id}`)).text()).toContain(`blocked by moderation: ${reason}.`);
	});

	test("of many blocks at once", async () => {
		const ids = [await image(), await image()];
		const { data } = await call<{ data: Body[] }>(operator, "POST", "/v1/moderation/batch", {
			ids,
			action: "block",
			reason,
		});
		expect(data).toMatchObject(ids.map((id) => ({ id, blocked_reason: reason })));
	});

	test("of a blocked App, whose Owner has a mail that says it in words", async () => {
		const { appId, owner } = await makeTeam(service, "Herbarium");
		await call(operator, "POST", `/v1/operator/apps/${appId}/block`, { reason });
		expect(await call(operator, "GET", `/v1/operator/apps/${appId}`)).toMatchObject({ block_reason: reason });
		const [mail] = await listed(operator, `/v1/operator/emails?recipient=${owner.email}`);
		expect(String(mail?.text)).toMatch(/The reason: [a-z ]{4,}\./);
	});
});

/** What an image must have gone through before. */
const BEFORE: Partial<Record<lists.ModerationVerb, lists.ModerationVerb>> = {
	unlock: "lock",
	unblock: "block",
	not_nsfw: "nsfw",
};

test.each(lists.MODERATION_VERBS)("an operator's action %s", async (action) => {
	const id = await image();
	for (const one of [BEFORE[action], action]) {
		if (one) await call(operator, "POST", "/v1/moderation/batch", { ids: [id], action: one, reason: "terms" });
	}
	const kept = sql`SELECT action FROM moderation_actions WHERE image_id = ${id} ORDER BY pk DESC`;
	expect(await stored(kept)).toEqual([action]);
	if (action !== "delete") expect((await itemOf(service, operator, id)).actions[0]).toMatchObject({ action });
});

test.each(lists.TAX_MODES)("the tax %s of what an App sells", async (mode) => {
	const { owner, path } = await makeTeam(service);
	for (const behavior of lists.TAX_BEHAVIORS) {
		await call(owner, "PATCH", path, { tax: { mode, behavior } });
		expect(await call(owner, "GET", path)).toMatchObject({ tax: { mode, behavior } });
	}
});

test.each(lists.DELIVERY_POLICIES)("the delivery policy %s of an App [C]", async (delivery) => {
	const { owner, path } = await makeTeam(service);
	await call(owner, "PATCH", path, { delivery });
	expect(await call(owner, "GET", path)).toMatchObject({ delivery });
});

test.each(lists.REPORT_OUTCOMES)("the outcome %s of a report", async (outcome) => {
	const { id } = await report(await image(), "spam");
	await call(operator, "POST", `/v1/moderation/reports/${id}/resolve`, { outcome });
	expect(await listed(operator, "/v1/moderation/reports?state=resolved")).toContainEqual(
		expect.objectContaining({ id, outcome }),
	);
});

test.each(lists.TICKET_FORMATS)("the format %s of an upload ticket [C]", async (format) => {
	const { id } = await ticket(service, { formats: [format] });
	expect(await readTicket(service, id)).toMatchObject({ formats: [format] });
});

test.each(lists.LOCALES)("the language %s of an account", async (locale) => {
	await call(operator, "PATCH", "/v1/me", { locale });
	expect(await call(operator, "GET", "/v1/me")).toMatchObject({ locale });
});

describe.each(lists.GIVABLE_ROLES)("the role %s", (role) => {
	test("of a member", async () => {
		await call(team.owner, "PATCH", `${team.path}/members/${team.viewer.id}`, { role });
		expect(await listed(team.owner, `${team.path}/members`)).toContainEqual(
			expect.objectContaining({ id: team.viewer.id, role }),
		);
	});

	test("of an invite, which says it in words", async () => {
		const email = `${role}@invited.example`;
		await call(team.owner, "POST", `${team.path}/invites`, { email, role });
		expect(await listed(team.owner, `${team.path}/invites`)).toContainEqual(expect.objectContaining({ email, role }));
		const [mail] = await listed(operator, `/v1/operator/emails?recipient=${email}`);
		expect(String(mail?.text)).toMatch(/, as (a|an) [A-Z]\w+, who [^.]+\./);
	});
});

const PERMISSION_SETS = [...lists.PERMISSIONS.map((one) => [[one]]), [[...lists.PERMISSIONS]]];

describe.each(lists.APP_KEY_REACHES)("a key that reaches %s", (reach) => {
	test.each(PERMISSION_SETS)("with %p", async (permissions) => {
		const { id } = await call(team.owner, "POST", `${team.path}/keys`, { name: "A key", reach, permissions });
		expect(await call(team.owner, "GET", `${team.path}/keys/${id}`)).toMatchObject({ reach, permissions });
	});
});

test.each(SCOPES)("the scope %s of a token", async (scope) => {
	const { id } = await call(operator, "POST", "/v1/tokens", { name: "A token", scopes: [scope], expires_in: "1d" });
	expect(await listed(operator, "/v1/tokens")).toContainEqual(expect.objectContaining({ id, scopes: [scope] }));
});

test.each(lists.INTERVALS)("[C] a price for each %s", async (interval) => {
	const [shop, owner] = await sellingApp(service);
	const plan = await addPlan(service, shop.id, owner, { key: "gold" });
	await addPrice(service, shop.id, plan.id, owner, { interval });
	const { data } = await made<Listed>(send(service, "GET", "/v1/billing/plans", undefined, { key: shop.key }));
	expect(data).toMatchObject([{ prices: [{ interval }] }]);
});

test.each(lists.APP_PLAN_NAMES)("[C][T] the plan %s of an App, from an operator", async (plan) => {
	await call(operator, "PATCH", `/v1/operator/apps/${team.appId}`, { plan });
	expect(await call(team.owner, "GET", team.path)).toMatchObject({ plan });
	await call(operator, "PATCH", `/v1/operator/apps/${team.appId}`, { plan: "free" });
});

test("each tier of an App where the service sells them, from an operator and from its Owner", async () => {
	const open = await openService({ SVC_VARIANT: "legacy" });
	try {
		const tiers = lists.OWN_PLAN_KEYS.filter((key) => key !== "unlimited");
		const paid = lists.PAID_OWN_PLAN_KEYS.filter((key) => key !== "unlimited");
		for (const plan of tiers) {
			const { path, owner, appId } = await makeTeam(open);
			const granted = send(open, "PATCH", `/v1/operator/apps/${appId}`, { plan }, { key: open.token });
			expect(await made<Body>(granted)).toMatchObject({ plan });
			if (plan === "free" || !paid.includes(plan)) continue;
			const bought = send(open, "POST", `${path}/billing/checkout`, { plan }, as(owner));
			expect(await made<Body>(bought)).toMatchObject({ plan });
		}
	} finally {
		await open.close();
	}
});

test.each(lists.ENDPOINT_STATES)("[C] a webhook endpoint that is %s", async (state) => {
	const { path, owner } = await makeTeam(service);
	const { id } = await call(owner, "POST", `${path}/webhook_endpoints`, { url: "https://app.example.com/hooks" });
	for (const asked of [...lists.ENDPOINT_STATES, state]) {
		const changed = await call(owner, "PATCH", `${path}/webhook_endpoints/${id}`, { state: asked });
		expect(changed).toMatchObject({ state: asked });
	}
});

describe.each(lists.PAID_APP_PLANS)("the plan %s of an App", (plan) => {
	test("[C] from its Owner, who pays for it", async () => {
		const { path, owner, appId } = await makeTeam(service);
		expect(await call(owner, "POST", `${path}/billing/checkout`, { plan })).toMatchObject({ plan });
		const bought = sql`SELECT app_plan FROM checkouts WHERE app_pk = (SELECT pk FROM apps WHERE id = ${appId})`;
		expect(await stored(bought)).toEqual([plan]);
	});
});

test.each(["transition", "legacy"])("an image that is public or not, created and changed [%s]", async (variant) => {
	const open = await openService({ SVC_VARIANT: variant });
	try {
		const caller: Caller = { key: open.apiKey };
		for (const visible of [true, false]) {
			const created = await uploaded(open, file, "a.png", { public: String(visible) });
			expect(created).toMatchObject({ public: visible });
			await made(send(open, "PATCH", `/v1/images/${created.id}`, { public: !visible }, caller));
			const read = await made<Body>(send(open, "GET", `/v1/images/${created.id}`, undefined, caller));
			expect(read).toMatchObject({ public: !visible });
		}
	} finally {
		await open.close();
	}
});

/** Lists that filters know; a word that a table lacks finds nothing, and is no fault of whoever asks. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
	"/v1/moderation/images?state": MODERATION_STATES,
	"/v1/moderation/reports?state": REPORT_STATES,
	"/v1/operator/apps?state": APP_STATES,
	"/v1/operator/accounts?status": lists.ACCOUNT_STATUSES,
	"/v1/operator/emails?state": MAIL_STATES,
	"/v1/operator/emails?template": MAIL_TEMPLATES,
	"/v1/operator/jobs?state": lists.JOB_STATES,
	"/v1/operator/jobs?kind": JOB_KINDS,
};

describe.each(Object.entries(FILTERS))("the filter %s", (filter, words) => {
	test.each(words)("%s", async (word) => {
		expect(await call(operator, "GET", `${filter}=${word}`)).toMatchObject({ object: "list" });
	});
});

/** Lists of which no request says a word: the service writes them by itself, or a file's bytes say them. */
const OWN_WORDS = [
	"ATTEMPT_ERRORS",
	"DISABLED_REASONS",
	"EVENT_TYPES",
	"WEBHOOK_DELIVERY_STATES",
	"IMAGE_EVENT_TYPES",
	"OUTPUT_FORMATS",
	"SOURCE_FORMATS",
	"IMAGE_FORMATS",
	"PAUSERS",
	"ROLES",
	"CONNECTION_STATES",
	"LIVE_CONNECTION_STATES",
	"SESSION_KINDS",
	"SIGN_IN_KINDS",
	"LOGIN_PURPOSES",
	"LETTER_DEEDS",
	"PASSKEY_PURPOSES",
	"KEY_REACHES",
	"STORAGE_KINDS",
	"STORAGE_STATES",
	"IMAGE_HOST_STATES",
	"TIER_NAMES",
	"IMAGE_STATUSES",
	"BLOB_STATES",
	"DAMAGE_KINDS",
	"KEPT_CREATE_STATES",
	"ANALYSIS_KINDS",
	"KEPT_FACTS",
	"TICKET_STATES",
	"TICKET_MAKERS",
	"APP_IMPORT_STATES",
	"APP_LIMITS",
	"SUBSCRIPTION_SUBJECTS",
	"TRIAL_REASONS",
	"DISPUTE_STATES",
	"LIKENESS_KINDS",
	"REPORT_SOURCES",
	"SCAN_VERDICTS",
	"IMPORT_ITEM_STATES",
	"SIM_KINDS",
	"WATCHED_PARTS",
];

test("no list of words is forgotten: each is tried here, or no request says it", async () => {
	const source = await Bun.file(import.meta.path).text();
	const untried = Object.keys(lists).filter((name) => !source.includes(`lists.${name}`));
	expect(untried.sort()).toEqual(OWN_WORDS.toSorted());
});
