import { beforeAll, describe, expect, test } from "bun:test";
import { SCREENS } from "@svc/pages/console/screens";
import { sql } from "drizzle-orm";
import { addApp } from "../../support/apps.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { formOf, signedIn } from "../../support/console.ts";
import { OPERATORS } from "../../support/console-places.ts";
import { addPerson, as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";

/* The screens of those who run the service: what each shows and does, and that there are none for anybody else. */

const service = serviceFor();
const app = madeBefore(() => addApp(service.database));
const operator = madeBefore(() => addPerson(service.database, { operator: true }));
let browser: Browser;
beforeAll(async () => {
	browser = await signedIn(service, operator);
});

const at = (path: string) => `/console${path}`;
const ask = <T>(method: string, path: string, body?: unknown) =>
	made<T>(send(service, method, path, body, as(operator)));

/** The newest entry of the audit: what was done, and how. */
async function lastEntry() {
	const { data } = await ask<{ data: { event: string; changes: unknown; actor: string }[] }>(
		"GET",
		"/v1/operator/audit?limit=1",
	);
	return { event: data[0]?.event, changes: data[0]?.changes, actor: data[0]?.actor };
}

/** Sends the form that does a deed, where several do it the one with these fields, and shows the page after it. */
async function press(
	page: Shown,
	act: string,
	typed: Readonly<Record<string, string>>,
	of: Readonly<Record<string, string>> = {},
) {
	const form = page.forms.find(
		({ fields }) => fields.act === act && Object.entries(of).every(([name, value]) => fields[name] === value),
	);
	if (!form) throw new Error(`no form does ${act}: ${page.status} ${page.title}`);
	const sent = await browser.post(form.action, { ...form.fields, ...typed });
	return sent.status === 303 ? await browser.follow(sent) : sent;
}

async function reported(): Promise<string> {
	const { url } = await uploaded(service, await plain(9, 9), "said.png", {}, { key: app.key });
	await send(service, "POST", "/v1/reports", { url, reason: "spam" });
	const { data } = await ask<{ data: { id: string }[] }>("GET", "/v1/moderation/reports");
	return data[0]?.id ?? "";
}

interface Deed {
	/** Makes what it is done to; says where the form stands, by which fields it is known, what is typed, and the call that does the same. */
	readonly prepare: () => Promise<{
		readonly at: string;
		readonly of?: Readonly<Record<string, string>>;
		readonly typed?: Readonly<Record<string, string>>;
		readonly rest: readonly [method: string, path: string, body?: unknown];
	}>;
}

const ofApp = async () => {
	const { id } = await addApp(service.database);
	return { at: `/operator/apps?id=${id}`, path: `/v1/operator/apps/${id}` };
};

async function blockedApp() {
	const made = await ofApp();
	await ask("POST", `${made.path}/block`, { reason: "spam" });
	return made;
}

async function account(disabled = false) {
	const { id, email } = await addPerson(service.database);
	if (disabled) await ask("POST", `/v1/operator/accounts/${id}/disable`);
	return {
		at: `/operator/accounts?q=${encodeURIComponent(email)}`,
		of: { account: id },
		path: `/v1/operator/accounts/${id}`,
	};
}

const DEEDS: Readonly<Record<string, Deed["prepare"]>> = {
	"/operator/reports resolve": async () => {
		const report = await reported();
		const of = { report, outcome: "dismissed" };
		return {
			at: "/operator/reports",
			of,
			rest: ["POST", `/v1/moderation/reports/${report}/resolve`, { outcome: "dismissed" }],
		};
	},
	"/operator/apps terms": async () => {
		const { at: place, path } = await ofApp();
		const typed = { plan: "pro", selling_enabled: "true", images: "70", users: "" };
		const body = { plan: "pro", selling_enabled: true, limits: { images: 70, users: null } };
		return { at: place, typed, rest: ["PATCH", path, body] };
	},
	"/operator/apps block": async () => {
		const { at: place, path } = await ofApp();
		return {
			at: place,
			typed: { reason: "terms", note: "Asked twice." },
			rest: ["POST", `${path}/block`, { reason: "terms", note: "Asked twice." }],
		};
	},
	"/operator/apps unblock": async () => {
		const { at: place, path } = await blockedApp();
		return { at: place, rest: ["POST", `${path}/unblock`, {}] };
	},
	"/operator/accounts disable": async () => {
		const { path, ...place } = await account();
		return { ...place, rest: ["POST", `${path}/disable`] };
	},
	"/operator/accounts enable": async () => {
		const { path, ...place } = await account(true);
		return { ...place, rest: ["POST", `${path}/enable`] };
	},
	"/operator/accounts add": async () => {
		const { email } = await addPerson(service.database);
		return {
			at: "/operator/accounts?status=operators",
			typed: { email },
			rest: ["POST", "/v1/operator/operators", { email }],
		};
	},
	"/operator/accounts remove": async () => {
		const { id } = await addPerson(service.database, { operator: true });
		return {
			at: "/operator/accounts?status=operators",
			of: { account: id },
			rest: ["DELETE", `/v1/operator/operators/${id}`],
		};
	},
	"/operator/health reconcile": async () => ({
		at: "/operator/health",
		typed: { scrub: "true" },
		rest: ["POST", "/v1/operator/reconcile", { scrub: true }],
	}),
	"/operator/trash collect": async () => ({ at: "/operator/trash", rest: ["POST", "/v1/operator/trash/collect", {}] }),
	"/operator/backups create": async () => ({ at: "/operator/backups", rest: ["POST", "/v1/operator/backups"] }),
};

/** Tried below, or in moderation.test.ts. */
const APART = [
	...["/operator/jobs retry", "/operator/trash restore", "/operator/health advance", "/operator/health simulate"],
	...["lock", "unlock", "block", "unblock", "nsfw", "not_nsfw", "undo"].map((act) => `/operator/moderation ${act}`),
	...["lock", "unlock", "block", "unblock", "nsfw", "not_nsfw", "dismiss", "delete"].map(
		(act) => `/operator/moderation/:image ${act}`,
	),
];

const OF_OPERATORS = SCREENS.filter(({ path }) => path.startsWith("/operator/"));
const FORMS = OF_OPERATORS.flatMap(({ path, acts = {} }) => Object.keys(acts).map((act) => `${path} ${act}`));

test("each form of an operator's screen is tried", () => {
	expect([...Object.keys(DEEDS), ...APART].sort()).toEqual([...FORMS].sort());
});

describe.each(Object.entries(DEEDS))("%s", (name, prepare) => {
	const [, act = ""] = name.split(" ");

	test("does what the call of REST does, with the same entry in the audit, and the page after it says so [C]", async () => {
		const byForm = await prepare();
		const page = await browser.open(at(byForm.at));
		const after = await press(page, act, byForm.typed ?? {}, byForm.of);
		expect([after.status, after.html.includes('class="notice"')]).toEqual([200, true]);
		const left = await lastEntry();
		const { rest } = await prepare();
		await ask(...rest);
		expect(left).toEqual({ ...(await lastEntry()) });
		expect(left.actor).toBe(operator.id);
	});
});

describe("to everybody else", () => {
	const place = (path: string) => at(path.replaceAll(":image", "img_x").replaceAll(":app", app.id));

	test("there is no screen of operators, whether they look or send a form, nor is there another one", async () => {
		const member = await signedIn(service, { id: app.ownerId });
		const token = formOf(await member.open("/console"), "create").fields.form_token ?? "";
		for (const path of OPERATORS) expect([path, (await member.open(place(path))).status]).toEqual([path, 404]);
		for (const form of FORMS) {
			const [path = "", act = ""] = form.split(" ");
			const sent = async (form_token: string) =>
				(await member.post(place(path), { form_token, act, ids: "img_x" })).status;
			expect([form, await sent(token), await sent("0".repeat(128)), await sent("")]).toEqual([form, 404, 403, 403]);
		}
		for (const other of ["", "/images", "/settings", "/nothing", "/moderation/img_x/images"])
			expect([other, (await browser.open(`/console/operator${other}`)).status]).toEqual([other, 404]);
	});

	test("nothing leads there", async () => {
		const member = await signedIn(service, { id: app.ownerId });
		expect((await member.open("/console")).html).not.toContain("/console/operator");
		expect((await browser.open("/console")).html).toContain('href="/console/operator/moderation"');
	});
});

describe("an operator", () => {
	test("reads on each screen what REST says of it", async () => {
		await blockedApp();
		await ask("POST", "/v1/operator/reconcile", {});
		await service.runJobs();
		const seen = async (path: string) => (await browser.open(at(path))).html;
		expect(await seen("/operator/health")).toContain("All works");
		expect(await seen(`/operator/apps?q=${app.id}`)).toContain(`/console/operator/apps?id=${app.id}`);
		expect(await seen(`/operator/apps?id=${app.id}`)).toContain(
			`/console/operator/moderation?state=all&amp;app=${app.id}`,
		);
		expect(await seen("/operator/jobs?state=done&kind=reconcile")).toMatch(/<th scope="row">reconcile<\/th>/);
		expect(await seen("/operator/logs?of=audit&event=operator.app_blocked")).toContain(
			"<strong>operator.app_blocked</strong>",
		);
		expect(await seen("/operator/logs")).toContain("The last lines of the process");
		expect(await seen("/operator/accounts?status=operators")).toContain(operator.email);
	});

	test("tries a job again that failed", async () => {
		const { id } = await ask<{ id: string }>("POST", "/v1/operator/reconcile");
		await service.runJobs();
		await service.database.write([{ run: sql`UPDATE jobs SET state = 'failed', failure = 'broke' WHERE id = ${id}` }]);
		const after = await press(await browser.open(at("/operator/jobs?state=failed")), "retry", {}, { job: id });
		expect(after.html).toContain("It is tried again.");
		await service.runJobs();
		expect(await ask<object>("GET", `/v1/jobs/${id}`)).toMatchObject({ state: "done" });
	});

	test("brings stored bytes back from the trash", async () => {
		const { id } = await uploaded(service, await plain(7, 7), "lost.png", {}, { key: app.key });
		const [row] = await service.database.rows("SELECT blob_key FROM images WHERE id = ?", [id]);
		const key = String(row?.[0]);
		await service.rooms.images.trash.put(key);
		const page = await browser.open(at("/operator/trash"));
		expect(page.html).toContain("It comes back by itself within a day");
		const after = await press(page, "restore", {}, { blob: key });
		expect([after.html.includes("It is stored again."), after.html.includes(key)]).toEqual([true, false]);
	});

	test("reads beside its field what the API does not take, with what was typed", async () => {
		const { at: place } = await ofApp();
		const page = await browser.open(at(place));
		const refused = await press(page, "terms", { images: "many" });
		expect(refused.status).toBe(422);
		expect(refused.html).toContain('value="many"');
		const late = await press(await browser.open(at("/operator/health")), "advance", { to: "yesterday" });
		expect([late.status, late.html.includes('aria-invalid="true"')]).toEqual([422, true]);
		const unknown = await press(late, "simulate", { subscription: "sub_x", outcome: "pay" });
		expect([404, 422]).toContain(unknown.status);
	});

	test("makes one of two clicks", async () => {
		const page = await browser.open(at("/operator/backups"));
		const form = formOf(page, "create");
		await browser.post(form.action, form.fields);
		await browser.post(form.action, form.fields);
		const jobs = () => ask<{ data: unknown[] }>("GET", "/v1/operator/jobs?kind=backup.make&state=queued");
		expect((await jobs()).data.length).toBe(1);
	});
});
