import { beforeAll, describe, expect, test } from "bun:test";
import { SCREENS } from "@svc/pages/console/screens";
import type { Browser, Shown } from "../../support/browser.ts";
import { formOf, postFile, sendForm, signedIn } from "../../support/console.ts";
import { callRest, DEEDS, type Target } from "../../support/console-deeds.ts";
import { OF_NO_APP, type Place, placesOf } from "../../support/console-places.ts";
import { answeredRoles, PERSONS, routeOf, SAID_OTHERWISE, TABLE } from "../../support/console-table.ts";
import { addPerson, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { madeBefore, serviceFor } from "../../support/service.ts";
import { ask, makeTeam, TEAM_ROLES, type Team, type TeamRole } from "../../support/teams.ts";

/* Every form of every screen, by every role: what may be done here is what REST lets this role do, and leaves the same traces. */

const service = serviceFor();
const team: Team = madeBefore(async () => {
	const made = await makeTeam(service, "Roles");
	await ask(service, made.owner, "PATCH", made.path, { sign_in_enabled: true });
	return made;
});
const operator: TestPerson = madeBefore(() => addPerson(service.database, { operator: true }));
const stranger = madeBefore(async () => (await makeTeam(service, "Elsewhere")).owner);

/** Whom each screen is for that is not for all of a team. */
const FOR_ADMINS = ["/:app/activity"];
const FILE = { bytes: await plain(9, 9), name: "sent.png" };
const ANOTHER = `app_${"x".repeat(22)}`;

const formsOf = SCREENS.filter(({ path }) => !OF_NO_APP.has(path)).flatMap(({ path, acts = {}, stream }) =>
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
	// What a form of a plan calls its key is none of those that a list has forms for.
	const key = name.startsWith("/:app/keys ") ? target.typed?.key : undefined;
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
async function auditOf(
	{ owner, path }: Team,
	ends = false,
): Promise<readonly { readonly id: string; readonly said: string }[]> {
	const { body } = ends
		? await ask(service, operator, "GET", "/v1/operator/audit?limit=100")
		: await ask(service, owner, "GET", `${path}/audit?limit=100`);
	const entries = body.data as { id: string; actor: string; event: string; changes: unknown; request_id: unknown }[];
	return entries.map(({ id, actor, event, changes, request_id }) => ({
		id,
		said: JSON.stringify([event, actor, changes, typeof request_id])
			.replaceAll(/\b([a-z]{3})_[0-9A-Za-z]{22}\b/g, "$1")
			.replaceAll(/"last4":"\w{4}"/g, "last4")
			.replaceAll(/Named [\w-]+|shape_\w+/g, "named")
			.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "a time"),
	}));
}

async function newEntries({ team: of, ends }: Target, act: () => Promise<unknown>): Promise<readonly string[]> {
	const before = new Set((await auditOf(of, ends)).map(({ id }) => id));
	await act();
	await service.runJobs();
	return (await auditOf(of, ends)).filter(({ id }) => !before.has(id)).map(({ said }) => said);
}

/** A page without what is another in each answer. */
function alike({ status, html }: Pick<Shown, "status" | "html">): string {
	return `${status} ${html.replaceAll(/name="form_token" value="\w+"/g, "")}`;
}

test("each form of each screen is named among what is tried here, with who may send it [C]", () => {
	expect(Object.keys(DEEDS).sort()).toEqual([...formsOf].sort());
});

/** The names of what can be typed or chosen in the forms of a page that do a deed. */
function namesIn({ html }: Shown, act: string): readonly string[] {
	const forms = html.split("<form").filter((form) => form.includes(`name="act" value="${act}"`));
	return forms.flatMap((form) =>
		[...(form.split("</form>")[0] ?? "").matchAll(/ name="(\w+)"/g)].map(([, name = ""]) => name),
	);
}

/** The fields of the body that an operation takes, as the API document has them. */
async function bodiesOf(routes: readonly string[]): Promise<readonly (readonly string[])[]> {
	const document = (await (await service.api("/openapi.json")).json()) as ApiDocument;
	return routes.map((route) => {
		const [method = "", path = ""] = route.split(" ");
		const operation = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
		return Object.keys(operation?.requestBody?.content["application/json"]?.schema.properties ?? {});
	});
}

interface ApiDocument {
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
	readonly requestBody?: {
		readonly content: Readonly<Record<string, { readonly schema: { readonly properties?: object } }>>;
	};
}

/** What can be typed or chosen in one of these forms, as one who may send it sees it. */
async function saidIn(forms: readonly string[]): Promise<readonly string[]> {
	const names: string[] = [];
	for (const form of forms) {
		const { may = [], prepare } = DEEDS[form] ?? {};
		const target = await prepare?.(service, team);
		if (!target) continue;
		const browser = await signedIn(service, target.team[may[0] ?? "owner"]);
		names.push(...namesIn(await browser.open(target.at), form.split(" ")[1] ?? ""));
	}
	return names;
}

test("all that an operation takes can be said in its forms, or else there is a reason [C]", async () => {
	const done = Object.entries(TABLE).flatMap(([route, place]) =>
		"forms" in place && place.forms.some((form) => form in DEEDS) ? [{ route, forms: place.forms }] : [],
	);
	const bodies = await bodiesOf(done.map(({ route }) => route));
	expect(bodies.flat().length).toBeGreaterThan(50);
	const missing: string[] = [];
	for (const [place, { route, forms }] of done.entries()) {
		const said = new Set(await saidIn(forms));
		const otherwise = new Set(Object.keys(SAID_OTHERWISE[route] ?? {}));
		const wrong = (bodies[place] ?? []).filter((field) => said.has(field) === otherwise.has(field));
		missing.push(...wrong.map((field) => `${route}: ${field}`));
	}
	expect(missing).toEqual([]);
});

describe.each(Object.entries(DEEDS))("%s", (name, { may, unaudited, prepare }) => {
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
		const left = await newEntries(byForm, async () => {
			expect([200, 303]).toContain(await press(browser, name, byForm));
		});
		const byCall = await prepare(service, team);
		const place = TABLE[routeOf(byCall.rest[0], byCall.rest[1]) ?? ""];
		expect(place && "forms" in place ? place.forms : []).toContain(name);
		const called = await newEntries(byCall, async () => {
			expect((await callRest(service, byCall, byCall.team[role])).status).toBeLessThan(300);
		});
		expect(left.length > 0).toBe(unaudited === undefined);
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
	const WHO = [...TEAM_ROLES, "operator"] as const;
	/** A screen as one of a team is shown it, and what the API has answered them meanwhile. */
	interface Seen extends Place {
		readonly role: (typeof WHO)[number];
		readonly page: Shown;
		readonly routes: ReadonlySet<string | undefined>;
	}
	const seen: Seen[] = [];
	beforeAll(async () => {
		const people = { ...team, operator: await addPerson(service.database, { operator: true }) };
		const places = await placesOf(service, team);
		for (const role of WHO) {
			const browser = await signedIn(service, people[role]);
			for (const place of places) {
				const before = service.log.lines.length;
				const page = await browser.open(place.at);
				const calls = service.log.lines.slice(before).filter(({ message }) => message === "request");
				const facts = calls.map((call) => call.facts as { method: string; path: string; status: number });
				const answered = facts.filter(({ status }) => status < 300);
				const routes = new Set(answered.map(({ method, path }) => routeOf(method, path)));
				seen.push({ ...place, role, page, routes });
			}
		}
	});
	const ofApp = (role: Seen["role"]) => seen.filter((one) => one.role === role && !OF_NO_APP.has(one.path));

	test("is read by the roles that REST lets read it [C]", () => {
		const isFor = (path: string, role: TeamRole) => !FOR_ADMINS.includes(path) || role === "admin" || role === "owner";
		for (const role of TEAM_ROLES) {
			for (const { path, page } of ofApp(role)) {
				expect([path, role, page.status === 403]).toEqual([path, role, !isFor(path, role)]);
				expect(page.status).toBeLessThan(404);
			}
		}
	});

	test("shows what the table says of it to whom REST shows it, and to nobody else [C]", () => {
		for (const row of PERSONS) {
			const place = TABLE[row.route];
			if (!place || !("screen" in place)) continue;
			const shown = seen.filter(({ path, routes }) => path === place.screen && routes.has(row.route));
			expect([row.route, ...shown.map(({ role }) => role)]).toEqual([row.route, ...answeredRoles(row)]);
		}
	});

	test("is led to by a letter of its own [C]", () => {
		for (const { path, role, page } of seen) {
			const letters = [...page.html.matchAll(/data-keys="(g \w)"/g)].map(([, letter]) => letter);
			expect([path, role, letters]).toEqual([path, role, [...new Set(letters)]]);
		}
	});

	test("holds no form for a Viewer, neither for words nor for files [C]", () => {
		// But for the one by which they leave, and those of the preview, which without a token do nothing.
		const isForm = ({ action, fields }: Shown["forms"][number]) =>
			fields.form_token !== undefined && action !== "/account/sign-out" && fields.member !== team.viewer.id;
		for (const { path, page } of ofApp("viewer")) {
			if (path === "/:app/sign-in/preview") {
				expect(page.forms.map(({ fields }) => fields.form_token ?? "")).toEqual([""]);
				continue;
			}
			expect([path, page.forms.filter(isForm)]).toEqual([path, []]);
			expect([path, page.html.includes('enctype="multipart')]).toEqual([path, false]);
		}
	});

	test("of another App is to whoever looks as one that never was [C]", async () => {
		const outside = await signedIn(service, stranger);
		for (const { path, at } of ofApp("viewer")) {
			const [theirs, nobodys] = [await outside.open(at), await outside.open(at.replace(team.appId, ANOTHER))];
			// What only leads on to the screen that it belongs to does so without looking.
			const status = SCREENS.find((one) => one.path === path)?.stream ? 303 : 404;
			expect([path, theirs.status]).toEqual([path, status]);
			expect([path, alike(theirs)]).toEqual([path, alike(nobodys)]);
		}
	});
});
