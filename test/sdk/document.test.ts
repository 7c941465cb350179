import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ListOptions } from "@svc/sdk/calls/image-lists";
import { type Client, createClient } from "@svc/sdk/client";
import { createManagement, type Management } from "@svc/sdk/management";
import { uploadWithTicket } from "@svc/sdk/ticket-upload";
import type { Fetch } from "@svc/sdk/wire/request";
import { type OpenService, openService } from "../support/service.ts";

/* Every method once, with all that it takes, against what the API document says. */

interface Operation {
	readonly parameters?: readonly { readonly name: string; readonly in: string }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
}

interface BodySchema {
	readonly properties: Readonly<Record<string, unknown>>;
	readonly required?: readonly string[];
}

interface Sent {
	/** As in the document: `GET /v1/apps/{id}`. */
	readonly operation: string;
	readonly query: readonly string[];
	readonly body: Readonly<Record<string, unknown>>;
}

type Step = (management: Management, client: Client, fetch: Fetch) => Promise<unknown>;

const page = { limit: 1, cursor: "c" };
const facts = { include: ["facts"] } as const;
const CHANGES = { caption: "", publishedAt: 0, ttl: 1, metadata: {}, labels: {}, ifLabels: {} };
const PLAN = { name: "n", description: "d", benefits: ["b"], displayOrder: 1, limits: { images: 1, bytes: null } };
const CHOICE: Omit<ListOptions, "include" | "totalMax"> = {
	...{ created: { from: "d", to: "d" }, published: { from: "d", to: "d" }, expires: { from: "d", to: "d" } },
	...{ formats: ["jpg"], filenamePrefix: "f", externalId: "x", sha256: "h", similarTo: "img_1", q: "w", order: "asc" },
};
const FILTER: ListOptions = { ...CHOICE, include: ["total"], totalMax: 1 };
const date = new Date(0);
const verdict = { reason: "spam", note: "", revision: 1 };
const release = { ...verdict, reopen_reports: true };

/** Placeholders are spelled as in the document, which makes the paths the document's own. */
const STEPS: readonly Step[] = [
	(m) => m.me.get(),
	(m) => m.me.changeEmail("a@example.com"),
	(m) => m.me.setLocale("de"),
	(m) => m.me.delete({ withdraw: false }),
	(m) => m.me.keys.list(page),
	(m) => m.me.keys.create({ name: "n", permissions: ["read"], expiresAt: date }),
	(m) => m.me.keys.revoke("{key}"),
	(m) => m.me.connections.list(page),
	(m) => m.me.connections.disconnect("{app}", { withdraw: false }),
	(m) => m.me.connections.keys("{app}").list(page),
	(m) => m.me.connections.keys("{app}").create("name"),
	(m) => m.me.connections.keys("{app}").revoke("{key}"),
	(m) => m.sessions.list(page),
	(m) => m.sessions.login("a@example.com", { client: "c", deviceToken: "d" }),
	(m) => m.sessions.verify({ id: "{id}", secret: "s" }, "000000"),
	(m) => m.sessions.stepUp(),
	(m) => m.sessions.openConsole({ machineKey: "k" }),
	(m) => m.sessions.confirm({ id: "{id}", secret: "s" }, "000000"),
	(m) => m.me.plans.list(page),
	(m) => m.me.plans.get("{plan}"),
	(m) => m.me.plans.cancel("{plan}"),
	(m) => m.me.plans.resume("{plan}"),
	(m) => m.me.plans.withdraw("{plan}"),
	(m) => m.me.plans.preview("{plan}", "prc"),
	(m) => m.me.plans.invoices("{plan}").list(page),
	(m) => m.me.invoice("{invoice}"),
	(m) => m.me.exports.start({ app: "a" }),
	(m) => m.me.exports.list(page),
	(m) => m.me.exports.download("{id}"),
	(m) => m.me.activity.list({ ...page, since: new Date(0) }),
	(m) => m.me.passkeys.list(page),
	(m) => m.me.passkeys.start(),
	(m) => m.me.passkeys.add({ id: "o" }, "n", {}),
	(m) => m.me.passkeys.remove("{passkey}"),
	(m) => m.sessions.startPasskey(),
	(m) => m.sessions.verifyPasskey({ id: "o" }, {}, { client: "c", deviceToken: "d" }),
	(m) => m.sessions.endOthers({ keepTokens: true }),
	(m) => m.sessions.end("{id}"),
	(m) => m.tokens.list(page),
	(m) => m.tokens.create({ name: "n", scopes: ["apps:read"], app: "a", expiresIn: "90d" }),
	(m) => m.tokens.revoke("{id}"),
	(m) => m.apps.list({ ...page, include: "usage" }),
	(m) => m.apps.create("name"),
	(m) => m.apps.get("{id}", { include: "needs" }),
	(m) =>
		m.apps.update("{id}", {
			name: "n",
			signInEnabled: true,
			freeLimits: { images: 1, bytes: null },
			profile: { developer: "d" },
			tax: { mode: "none" },
			promotionCodes: false,
			delivery: "open",
			deliveryReferrers: ["example.com"],
			deliveryLimits: { bytes: 1, renditions: null },
			imageHost: "img.example.com",
		}),
	(m) => m.apps.delete("{id}", "name", { cancelSubscriptions: true }),
	(m) => m.apps.verifyImageHost("{id}"),
	(m) => m.apps.pause("{id}"),
	(m) => m.apps.resume("{id}"),
	(m) => m.apps.transfer("{id}", "member"),
	(m) => m.apps.of("{id}").keys.list(page),
	(m) => m.apps.of("{id}").keys.get("{key}"),
	(m) => m.apps.of("{id}").keys.create({ name: "n", reach: "app", permissions: ["read"], expiresAt: date }),
	(m) => m.apps.of("{id}").keys.update("{key}", { name: "n", expiresAt: null }),
	(m) => m.apps.of("{id}").keys.rotate("{key}", "1h"),
	(m) => m.apps.of("{id}").keys.revoke("{key}"),
	(m) => m.apps.of("{id}").members.list(page),
	(m) => m.apps.of("{id}").members.changeRole("{member}", "viewer", true),
	(m) => m.apps.of("{id}").members.remove("{member}", true),
	(m) => m.apps.of("{id}").invites.list(page),
	(m) => m.apps.of("{id}").invites.create("a@example.com", "viewer"),
	(m) => m.apps.of("{id}").invites.withdraw("{invite}"),
	(m) => m.apps.of("{id}").redirectUris.list(page),
	(m) => m.apps.of("{id}").redirectUris.add("https://app.example.com/callback"),
	(m) => m.apps.of("{id}").redirectUris.remove("{uri}"),
	(m) => m.apps.of("{id}").presets.list(page),
	(m) => m.apps.of("{id}").presets.create("n", {}),
	(m) => m.apps.of("{id}").presets.update("{preset}", { name: "n", parameters: {} }),
	(m) => m.apps.of("{id}").presets.delete("{preset}"),
	(m) => m.apps.of("{id}").signingKeys.list(page),
	(m) => m.apps.of("{id}").signingKeys.create("n"),
	(m) => m.apps.of("{id}").signingKeys.delete("{key}"),
	(m) => m.apps.of("{id}").webhooks.list(page),
	(m) => m.apps.of("{id}").webhooks.get("{endpoint}"),
	(m) => m.apps.of("{id}").webhooks.create({ url: "https://a.example.com", types: ["*"], description: "" }),
	(m) => m.apps.of("{id}").webhooks.update("{endpoint}", { url: "u", types: ["*"], description: "", state: "enabled" }),
	(m) => m.apps.of("{id}").webhooks.remove("{endpoint}"),
	(m) => m.apps.of("{id}").webhooks.rotate("{endpoint}", "1h"),
	(m) => m.apps.of("{id}").webhooks.test("{endpoint}"),
	(m) => m.apps.of("{id}").webhooks.recover("{endpoint}", date),
	(m) =>
		m.apps
			.of("{id}")
			.webhooks.deliveries("{endpoint}")
			.list({ ...page, state: "failed", event_id: "e", types: "image.*" }),
	(m) => m.apps.of("{id}").webhooks.deliveries("{endpoint}").get("{delivery}", { include: "request" }),
	(m) => m.apps.of("{id}").webhooks.deliveries("{endpoint}").redeliver("{delivery}"),
	(m) => m.apps.of("{id}").users.list({ ...page, email: "a@example.com" }),
	(m) => m.apps.of("{id}").users.get("{user}"),
	(m) => m.apps.of("{id}").users.disconnect("{user}"),
	(m) => m.apps.of("{id}").plans.list(page),
	(m) => m.apps.of("{id}").plans.create({ key: "k", ...PLAN }),
	(m) => m.apps.of("{id}").plans.update("{plan}", PLAN),
	(m) => m.apps.of("{id}").plans.archive("{plan}"),
	(m) => m.apps.of("{id}").plans.addPrice("{plan}", { amount: 1, currency: "usd", interval: "month", trialDays: 1 }),
	(m) => m.apps.of("{id}").plans.setOnSale("{plan}", "{price}", false),
	(m) => m.apps.of("{id}").users.grant("{user}", { planKey: "gold", until: new Date(0), reason: "r" }),
	(m) => m.apps.of("{id}").users.ungrant("{user}"),
	(m) => m.apps.of("{id}").subscriptions.list(page),
	(m) => m.apps.of("{id}").subscriptions.get("{subscription}"),
	(m) => m.apps.of("{id}").subscriptions.refund("{subscription}", { invoice: "i", amount: 1, reason: "r" }),
	(m) => m.apps.of("{id}").billing.get(),
	(m) => m.apps.of("{id}").billing.checkout("pro", { interval: "month", at: "2026-11-29T12:00:00Z" }),
	(m) => m.apps.of("{id}").billing.preview("pro", { interval: "month" }),
	(m) => m.apps.of("{id}").billing.cancel(),
	(m) => m.apps.of("{id}").billing.resume(),
	(m) => m.apps.of("{id}").billing.changePaymentMethod(),
	(m) => m.apps.of("{id}").billing.invoices.list(page),
	(m) => m.apps.of("{id}").usage.total(),
	(m) => m.apps.of("{id}").usage.byUser.list(page),
	(m) => m.apps.of("{id}").usage.byMonth.list(page),
	(m) => m.apps.of("{id}").labels("prefix", { limit: 1 }),
	(m) => m.apps.of("{id}").images.list({ ...page, ids: ["i"], user: "u", state: "blocked" }),
	(m) => m.apps.of("{id}").images.list({ ...page, ...FILTER }),
	(m) => m.apps.of("{id}").images.deleted.list({ ...page, ...FILTER, user: "u" }),
	(m) => m.apps.of("{id}").exports.start(),
	(m) => m.apps.of("{id}").exports.rehearse(),
	(m) => m.apps.of("{id}").exports.records("{export}", { after: "i0" }),
	(m) => m.apps.of("{id}").exports.master("{export}", "{image}"),
	(m) => m.operator.appImports.open({ app: "a", manifest: "f", installation: "i", images: 1 }),
	(m) => m.operator.appImports.get("{id}"),
	(m) => m.operator.appImports.addRecords("{id}", [{}]),
	(m) => m.operator.appImports.addMaster("{id}", "s", new Blob()),
	(m) => m.operator.appImports.finish("{id}"),
	(m) => m.operator.appImports.delete("{id}"),
	(m) => m.apps.of("{id}").images.zip({ ...CHOICE, user: "u" }),
	(m) => m.apps.of("{id}").images.zip({ ids: ["i"], labels: { a: "b" } }),
	(m) => m.apps.of("{id}").imageJobs.create({ user: "u", q: "w" }, { labels: { a: "b" } }),
	(m) => m.apps.of("{id}").imageJobs.cancel("{job}"),
	(m) => m.apps.of("{id}").jobs.list({ ...page, state: "done" }),
	(m) => m.apps.of("{id}").images.deleted.list({ ids: ["i"] }),
	(m) => m.apps.of("{id}").images.get("{image}", { ...facts, user: "u" }),
	(m) => m.apps.of("{id}").audit.list({ ...page, actor: "a", event: "e", since: date }),
	(m) => m.apps.of("{id}").moderation.list(page),
	(m) => m.acceptInvite("{id}", "token"),
	(m) => m.jobs.get("{id}"),
	(m) => m.report({ url: "u", reason: "spam", note: "n", email: "a@example.com" }),
	(m) => m.moderation.list({ ...page, state: "all", app: "a" }),
	(m) => m.moderation.list({ ...page, similar_to: "img_1" }),
	(m) => m.moderation.get("{id}"),
	(m) => m.moderation.preview("{id}", { width: 1, height: 1, format: "jpg" }),
	(m) => m.moderation.lock("{id}", verdict),
	(m) => m.moderation.unlock("{id}", release),
	(m) => m.moderation.block("{id}", verdict),
	(m) => m.moderation.unblock("{id}", release),
	(m) => m.moderation.setNsfw("{id}", true, { note: "n", revision: 1 }),
	(m) => m.moderation.delete("{id}"),
	(m) => m.moderation.batch(["i"], "block", { reason: "spam", note: "n", reopen_reports: true }),
	(m) => m.moderation.reports.list({ ...page, state: "open" }),
	(m) => m.moderation.reports.resolve("{id}", "dismissed"),
	(m) => m.operator.bootstrap("secret", "a@example.com"),
	(m) => m.operator.operators.list(page),
	(m) => m.operator.operators.add("a@example.com"),
	(m) => m.operator.operators.remove("{id}"),
	(m) => m.operator.apps.list({ ...page, q: "q", state: "active" }),
	(m) => m.operator.apps.get("{id}"),
	(m) => m.operator.apps.update("{id}", { plan: "pro", sellingEnabled: true, limits: { images: 1 } }),
	(m) => m.operator.apps.block("{id}", "spam", "note"),
	(m) => m.operator.apps.unblock("{id}", "note"),
	(m) => m.operator.accounts.list({ ...page, q: "q", status: "active" }),
	(m) => m.operator.accounts.disable("{id}"),
	(m) => m.operator.accounts.enable("{id}"),
	(m) => m.operator.jobs.list({ ...page, state: "failed", kind: "reconcile" }),
	(m) => m.operator.jobs.retry("{id}"),
	(m) => m.operator.emails.list({ ...page, recipient: "r", template: "invite", state: "sent" }),
	(m) => m.operator.audit.list({ ...page, actor: "a", event: "e", since: "2026-01-01T00:00:00Z", app: "a" }),
	(m) => m.operator.usage(),
	(m) => m.operator.health(),
	(m) => m.operator.logs({ after: "a.1", level: "info", limit: 1 }),
	(m) => m.operator.reconcile({ scrub: true, repair: true }),
	(m) => m.operator.backups.create(),
	(m) => m.operator.trash.list(page),
	(m) => m.operator.trash.restore(["b"]),
	(m) => m.operator.trash.collect({ move: true }),
	(m) => m.operator.subscriptions.list({ ...page, app: "a", state: "live", email: "e" }),
	(m) => m.operator.subscriptions.cancel("{subscription}", "now", "r"),
	(m) => m.operator.subscriptions.extend("{subscription}", 7, "r"),
	(m) => m.operator.subscriptions.refund("{subscription}", { invoice: "i", amount: 1, reason: "r" }),
	(m) => m.operator.simulation.clock(),
	(m) => m.operator.simulation.advanceClock(date),
	(m) => m.operator.simulation.decide("sub", "pay"),
	(_, c) =>
		c.images.import("http://localhost/a.png", {
			caption: "",
			publishedAt: 0,
			ttl: 1,
			metadata: {},
			labels: {},
			externalId: "e",
			...facts,
		}),
	(_, c) => c.images.list({ ...page, ids: ["i"] }),
	(_, c) => c.images.list({ ...page, ...FILTER }),
	(_, c) => c.images.labels("p", { limit: 1 }),
	(_, c) => c.users.list({ ...page, email: "a@example.com" }),
	(_, c) => c.users.get("{user}"),
	(_, c) => c.images.get("{id}", facts),
	(_, c) => c.images.update("{id}", { ...CHANGES, externalId: "", ifRevision: 1 }, facts),
	(_, c) => c.images.updateMany(["i"], CHANGES, facts),
	(_, c) => c.images.delete("{id}", { permanent: true }),
	(_, c) => c.images.deleteMany(["i"], { permanent: true }),
	(_, c) => c.images.replace("{id}", { url: "http://localhost/a.png" }, facts),
	(_, c) => c.images.restore("{id}", facts),
	(_, c) => c.images.sign("{id}", { parameters: { w: 1 }, expiresIn: 60 }),
	(_, c) => c.images.copy("{id}", null, facts),
	(_, c) => c.images.move("{id}", null, facts),
	(_, c) => c.events.list({ after: "e", order: "asc", types: ["image.*"], image: "i", limit: 1, wait: 0 }),
	(_, c) => c.events.get("{id}"),
	(_, c) =>
		c.tickets.create({
			expiresIn: "1h",
			maxBytes: 1,
			formats: ["jpg"],
			origins: ["o"],
			fields: { caption: "c", publishedAt: date },
		}),
	(_, c) => c.tickets.list({ ...page, state: "open" }),
	(_, c) => c.tickets.get("{id}"),
	(_, c) => c.tickets.cancel("{id}"),
	(_, __, fetch) => uploadWithTicket("http://localhost/v1/uploads/{token}", new Blob(), { fetch }),
	(_, c) => c.imports.create(["u"], { fields: { caption: "c", publishedAt: date } }),
	(_, c) => c.imports.list(page),
	(_, c) => c.imports.get("{id}"),
	(_, c) => c.imports.items("{id}").list({ ...page, state: "failed" }),
	(_, c) => c.imports.cancel("{id}"),
	(_, c) => c.usage.get(),
	(_, c) => c.usage.daily.list({ ...page, from: "d", to: "d", scope: "app", by: "day" }),
	(_, c) => c.usage.dailyCsv(),
	(_, c) => c.key.get(),
	(_, c) => c.billing.plans.list(page),
	(_, c) => c.billing.status(),
	(_, c) => c.exchange("code"),
];

/** What nobody calls who uses the SDK: the payment processor delivers there, with its own signature. */
const WITHOUT_METHOD = ["POST /v1/processor/events"];

/** Named in the document as a whole, and as one plain text; the SDK sends `label[key]`. */
const MANY_NAMES = ["label", "labels"];

let services: readonly OpenService[];
let operations: ReadonlyMap<string, Operation>;
let sent: readonly Sent[];

beforeAll(async () => {
	// What only the older interface has stands beside the current one, whose word is the last where both have an operation.
	services = [await openService({ SVC_VARIANT: "legacy" }), await openService()];
	operations = new Map((await Promise.all(services.map(documented))).flatMap((all) => [...all]));
	sent = await recorded();
});

afterAll(() => Promise.all(services.map((service) => service.close())));

async function documented({ open, rooms }: OpenService): Promise<ReadonlyMap<string, Operation>> {
	const answer = await open(`${rooms.addresses.base}/openapi.json`);
	const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
	const all = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const),
	);
	// Of two descriptions of one call the one with a body of JSON is the last, which is what is compared here.
	return new Map(
		all.filter(([name]) => name.includes(" /v1/")).map(([name, one]) => [name.replace("#import", ""), one]),
	);
}

async function recorded(): Promise<readonly Sent[]> {
	const seen: Sent[] = [];
	const record = async (url: string, { method, body }: RequestInit) => {
		const { pathname, searchParams } = new URL(url);
		seen.push({
			operation: `${method} ${decodeURIComponent(pathname)}`,
			query: [...searchParams.keys()],
			body: typeof body === "string" ? (JSON.parse(body) as Sent["body"]) : {},
		});
		// An object to a call that reads one, and not the type of one to a call that reads a file.
		return new Response("{}", { headers: { "Content-Type": "application/x+json" } });
	};
	const options = { baseUrl: "http://localhost", apiKey: null, fetch: record };
	for (const step of STEPS) await step(createManagement(options), createClient(options), record);
	return seen;
}

function difference(these: Iterable<string>, those: Iterable<string>): string[] {
	const others = new Set(those);
	return [...new Set(these)].filter((one) => !others.has(one)).sort();
}

function sentTo(operation: string): readonly Sent[] {
	return sent.filter((one) => one.operation === operation);
}

test("every operation of the API document has a method, and every method an operation [sdk.complete]", () => {
	const methods = sent.map(({ operation }) => operation);
	expect(difference(operations.keys(), methods)).toEqual(WITHOUT_METHOD);
	expect(difference(methods, operations.keys())).toEqual([]);
});

test("methods send the fields that the document names, and no others [sdk.complete-bodies]", () => {
	const wrong = [...operations].flatMap(([name, { requestBody }]) => {
		if (WITHOUT_METHOD.includes(name)) return [];
		const schema = requestBody?.content["application/json"]?.schema;
		const fields = sentTo(name).flatMap(({ body }) => Object.keys(body));
		const named = Object.keys(schema?.properties ?? {});
		// A person's own keys read: there is nothing to choose.
		const missing = difference(named, [...fields, ...(name.includes("/me/connections/") ? ["permissions"] : [])]);
		const unknown = difference(fields, named);
		return missing.length + unknown.length === 0 ? [] : [{ name, missing, unknown }];
	});
	expect(wrong).toEqual([]);
});

test("methods send the query parameters that the document names [sdk.complete-queries]", () => {
	const wrong = [...operations].flatMap(([name, { parameters = [] }]) => {
		const named = parameters.filter((one) => one.in === "query").map((one) => one.name);
		const missing = difference(
			named,
			sentTo(name).flatMap(({ query }) => query),
		).filter((one) => !MANY_NAMES.includes(one));
		return missing.length === 0 ? [] : [{ name, missing }];
	});
	expect(wrong).toEqual([]);
});
