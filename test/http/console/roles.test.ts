import { describe, expect, test } from "bun:test";
import { SCREENS } from "@svc/pages/console/screens";
import { connectUser } from "../../support/apps.ts";
import type { Browser, Shown } from "../../support/browser.ts";
import { formOf, postFile, sendForm, signedIn } from "../../support/console.ts";
import { callRest, DEEDS, type Target } from "../../support/console-deeds.ts";
import { as } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { uploaded } from "../../support/requests.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeTeam, TEAM_ROLES, type Team, type TeamRole } from "../../support/teams.ts";

/* Every form of every screen, by every role: what may be done here is what REST lets this role do, and leaves the same traces. */

const service = serviceFor();
const team: Team = madeBefore(async () => {
	const made = await makeTeam(service, "Roles");
	await ask(service, made.owner, "PATCH", made.path, { sign_in_enabled: true });
	return made;
});
const stranger = madeBefore(async () => (await makeTeam(service, "Elsewhere")).owner);

/** Whom each screen is for that is not for all of a team. */
const FOR_ADMINS = ["/:app/activity"];
/** Not of an App, and tried in tests of their own. */
const OF_NO_APP = ["", "/operator/mails"];
const FILE = { bytes: await plain(9, 9), name: "sent.png" };
const ANOTHER = `app_${"x".repeat(22)}`;

const formsOf = SCREENS.filter(({ path }) => !OF_NO_APP.includes(path)).flatMap(({ path, acts = {}, stream }) =>
	[...Object.keys(acts), ...(stream ? ["stream"] : [])].map((act) => `${path} ${act}`),
);

/** Any token of the person's session. */
async function tokenOf(browser: Browser): Promise<string> {
	return formOf(await browser.open("/console"), "create").fields.form_token ?? "";
}

/** Where a form is sent that stands at a place: a file to a page of its own. */
function actionOf(name: string, { at, team: { appId } }: Target): string {
	if (!name.endsWith(" stream")) return at;
	return name.startsWith("/:app/upload") ? `/console/${appId}/upload` : `${at}/replace`;
}

async function forge(browser: Browser, name: string, target: Target, form_token: string, app?: string): Promise<Shown> {
	const action = actionOf(name, target).replace(target.team.appId, app ?? target.team.appId);
	const [, act = ""] = name.split(" ");
	if (act !== "stream") return await browser.post(action, { form_token, act, ...target.typed });
	const page = await postFile(service, browser, `${action}?${new URLSearchParams({ form_token })}`, FILE);
	return { ...(await browser.open("/console")), ...page };
}

/** The form of a deed on a page, where it is shown. */
function shownForm(page: Shown, name: string, target: Target) {
	const [, act = ""] = name.split(" ");
	const key = target.typed?.key;
	return page.forms.find(({ action, fields }) =>
		act === "stream"
			? action.startsWith(`${actionOf(name, target)}?`)
			: fields.act === act && (key === undefined || fields.key === key),
	);
}

async function press(browser: Browser, name: string, target: Target): Promise<number> {
	const page = await browser.open(target.at);
	const [, act = ""] = name.split(" ");
	if (act !== "stream") return (await sendForm(browser, page, act, target.typed)).status;
	return (await postFile(service, browser, shownForm(page, name, target)?.action ?? "none", FILE)).status;
}

/** What the audit of an App says now, each entry without what only it has. */
async function auditOf({ owner, path }: Team): Promise<readonly { readonly id: string; readonly said: string }[]> {
	const { body } = await ask(service, owner, "GET", `${path}/audit?limit=100`);
	const entries = body.data as { id: string; actor: string; event: string; changes: unknown; request_id: unknown }[];
	return entries.map(({ id, actor, event, changes, request_id }) => ({
		id,
		said: JSON.stringify([event, actor, changes, typeof request_id])
			.replaceAll(/\b([a-z]{3})_[0-9A-Za-z]{22}\b/g, "$1")
			.replaceAll(/Named [\w-]+|shape_\w+/g, "named")
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time"),
	}));
}

async function newEntries(of: Team, act: () => Promise<unknown>): Promise<readonly string[]> {
	const before = new Set((await auditOf(of)).map(({ id }) => id));
	await act();
	await service.runJobs();
	return (await auditOf(of)).filter(({ id }) => !before.has(id)).map(({ said }) => said);
}

/** A page without what is another in each answer. */
function alike({ status, html }: Pick<Shown, "status" | "html">): string {
	return `${status} ${html.replaceAll(/name="form_token" value="\w+"/g, "")}`;
}

test("each form of each screen is named among what is tried here, with who may send it [C]", () => {
	expect(Object.keys(DEEDS).sort()).toEqual([...formsOf].sort());
});

describe.each(Object.entries(DEEDS))("%s", (name, { may, prepare }) => {
	const isFor = (role: TeamRole) => may.includes(role);

	test("is shown to whom REST lets do it and to nobody else; forged it is 403, for strangers 404, without its token 403 [C]", async () => {
		const target = await prepare(service, team);
		for (const role of TEAM_ROLES) {
			const browser = await signedIn(service, target.team[role]);
			const page = await browser.open(target.at);
			expect([role, page.status, shownForm(page, name, target) !== undefined]).toEqual([role, 200, isFor(role)]);
			for (const token of ["", "0".repeat(128)])
				expect([role, (await forge(browser, name, target, token)).status]).toEqual([role, 403]);
			if (isFor(role)) continue;
			expect([role, (await forge(browser, name, target, await tokenOf(browser))).status]).toEqual([role, 403]);
			expect([role, (await callRest(service, target, target.team[role])).status]).toEqual([role, 403]);
		}
		const outside = await signedIn(service, stranger);
		const token = await tokenOf(outside);
		const theirs = await forge(outside, name, target, token);
		const nobodys = await forge(outside, name, target, token, ANOTHER);
		expect([theirs.status, alike(theirs)]).toEqual([404, alike(nobodys)]);
	});

	test("leaves the same entries in the audit as the call of REST [C]", async () => {
		const role = may[0] ?? "owner";
		// What other tests have started is done.
		await service.runJobs();
		const byForm = await prepare(service, team);
		const browser = await signedIn(service, byForm.team[role]);
		const left = await newEntries(byForm.team, async () => {
			expect([200, 303]).toContain(await press(browser, name, byForm));
		});
		const byCall = await prepare(service, team);
		const called = await newEntries(byCall.team, async () => {
			expect((await callRest(service, byCall, byCall.team[role])).status).toBeLessThan(300);
		});
		expect(left.length).toBeGreaterThan(0);
		expect(left).toEqual(called);
	});
});

test("anybody who is signed in makes an App here as by REST, with the same entry, and nobody without the form's token", async () => {
	const browser = await signedIn(service, team.viewer);
	for (const form_token of ["", "0".repeat(128)])
		expect((await browser.post("/console", { form_token, act: "create", name: "Forged" })).status).toBe(403);
	const made = await sendForm(browser, await browser.open("/console"), "create", { name: "Theirs" });
	const byForm = made.location.split("/")[2] ?? "none";
	const called = (await ask(service, team.viewer, "POST", "/v1/apps", { name: "Theirs" })).body.id;
	const owned = (id: unknown): Team => ({ ...team, owner: team.viewer, path: `/v1/apps/${id}` });
	const said = async (id: unknown) => (await auditOf(owned(id))).map((entry) => entry.said);
	expect([...(await said(byForm))]).toEqual([...(await said(called))]);
});

describe("a screen", () => {
	/** Every screen of the App, with something there to see. */
	async function places(): Promise<readonly (readonly [path: string, at: string])[]> {
		const { id } = await uploaded(service, FILE.bytes, "seen.png", {}, as(team.editor, team.appId));
		const user = await connectUser(service.database, { id: team.appId });
		const body = { filter: { filename_prefix: "none" }, act: { labels: { a: "b" } } };
		const job = (await ask(service, team.editor, "POST", `${team.path}/image_jobs`, body)).body.id;
		const known: Readonly<Record<string, string>> = { app: team.appId, image: id, user: user.id, job: String(job) };
		return SCREENS.filter(({ path }) => !OF_NO_APP.includes(path)).map(({ path }) => [
			path,
			`/console${path.replaceAll(/:(\w+)/g, (_, name) => known[name] ?? `no ${name}`)}${path.endsWith("chosen") ? "?all=1" : ""}`,
		]);
	}

	const isFor = (path: string, role: TeamRole) => !FOR_ADMINS.includes(path) || role === "admin" || role === "owner";
	const isForm = ({ action, fields }: Shown["forms"][number]) =>
		fields.form_token !== undefined && action !== "/account/sign-out";
	const seenBy = async (role: TeamRole, at: string) => await (await signedIn(service, team[role])).open(at);

	test("is read by the roles that REST lets read it [C]", async () => {
		for (const [path, at] of await places()) {
			for (const role of TEAM_ROLES) {
				const seen = await seenBy(role, at);
				expect([path, role, seen.status === 403]).toEqual([path, role, !isFor(path, role)]);
				expect(seen.status).toBeLessThan(404);
			}
		}
	});

	test("holds no form for a Viewer, neither for words nor for files [C]", async () => {
		for (const [path, at] of await places()) {
			const page = await seenBy("viewer", at);
			expect([path, page.forms.filter(isForm)]).toEqual([path, []]);
			expect([path, page.html.includes('enctype="multipart')]).toEqual([path, false]);
		}
	});

	test("of another App is to whoever looks as one that never was [C]", async () => {
		const outside = await signedIn(service, stranger);
		for (const [path, at] of await places()) {
			const [theirs, nobodys] = [await outside.open(at), await outside.open(at.replace(team.appId, ANOTHER))];
			// What only leads on to the screen that it belongs to does so without looking.
			const status = SCREENS.find((one) => one.path === path)?.stream ? 303 : 404;
			expect([path, theirs.status]).toEqual([path, status]);
			expect([path, alike(theirs)]).toEqual([path, alike(nobodys)]);
		}
	});
});
