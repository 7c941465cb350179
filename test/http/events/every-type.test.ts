import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { accounts } from "@svc/base/database/schema/accounts";
import { apps, storages } from "@svc/base/database/schema/apps";
import { connections } from "@svc/base/database/schema/connect";
import { images } from "@svc/base/database/schema/images";
import { keys } from "@svc/base/database/schema/keys";
import { uploadTickets } from "@svc/base/database/schema/tickets";
import { webhookEndpoints } from "@svc/base/database/schema/webhooks";
import { jobs } from "@svc/base/database/schema/work/jobs";
import type { Step } from "@svc/base/database/step";
import { EVENT_TYPES, type EventNoun, type EventType } from "@svc/base/enumerations";
import { newId } from "@svc/base/ids";
import { connect } from "@svc/connect/connections";
import type { Event } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import { Ajv2020 } from "ajv/dist/2020.js";
import { getTableColumns, sql, type Table } from "drizzle-orm";
import { addAccount, connectUser, countOf } from "../../support/apps.ts";
import { acted } from "../../support/moderation.ts";
import { addPerson, as, type TestPerson } from "../../support/people.ts";
import { plain } from "../../support/pictures.ts";
import { send, uploaded } from "../../support/requests.ts";
import { made } from "../../support/selling.ts";
import { type OpenService, openService } from "../../support/service.ts";
import { addCustomer, CALLBACK, openShop, press, type Shop, subscribe } from "../../support/subscribers.ts";
import { ticket, useTicket } from "../../support/tickets.ts";
import { openReceiver } from "../../support/webhooks.ts";

/* Each type of event, as the running program writes it, in one App's feed: that there is something that makes it, and how it is read later. */

interface Noun {
	/** Its name in the API document. */
	readonly shape: string;
	readonly tables: readonly Table[];
	/** What only an answer has. */
	readonly besides?: Readonly<Record<string, unknown>>;
}

/** How the object of an event looks, by the noun of its type, and the tables of whose columns its data is made. */
const NOUNS = {
	image: { shape: "Image", tables: [images, storages] },
	upload_ticket: { shape: "UploadTicket", tables: [uploadTickets] },
	user: { shape: "ConnectedUser", tables: [connections, accounts, storages] },
	subscription: { shape: "BillingStatus", tables: [] },
	key: { shape: "ManagedKey", tables: [keys] },
	// An event has no caller, whose role it could say.
	app: { shape: "App", tables: [apps], besides: { role: "viewer" } },
	import: { shape: "Job", tables: [jobs] },
	webhook_endpoint: { shape: "WebhookEndpoint", tables: [webhookEndpoints] },
} as const satisfies Record<EventNoun, Noun>;

const receiver = await openReceiver();
const schemas = new Ajv2020({ strict: false, validateFormats: false });
let service: OpenService;
let shop: Shop;
let operator: TestPerson;
beforeAll(async () => {
	service = await openService({ SVC_VARIANT: "current", SVC_IMPORT_ALLOW: receiver.origin.host });
	[shop, operator] = [await openShop(service), await addPerson(service.database, { operator: true })];
	await asked("POST", "/webhook_endpoints", { url: receiver.origin.url("/all"), types: ["*"] });
	const { components } = await (await service.api("/openapi.json", { headers: {} })).json();
	schemas.addSchema({ $id: "document", components });
	for (const happen of HAPPEN) await happen();
});
afterAll(async () => {
	await service.close();
	receiver.origin.stop();
});

const asked = <T = { readonly id: string }>(method: string, path: string, body?: unknown): Promise<T> =>
	made(send(service, method, `/v1/apps/${shop.app.id}${path}`, body, shop.owner));
const called = <T = { readonly id: string }>(method: string, path: string, body?: unknown): Promise<T> =>
	made(send(service, method, `/v1${path}`, body, { key: shop.app.key }));
const image = async (fields: Readonly<Record<string, string>> = {}) =>
	await uploaded(service, await plain(8, 8), "a.png", fields, { key: shop.app.key });
const pkOf = (table: string, id: string) =>
	countOf(service.database, sql`SELECT pk FROM ${sql.identifier(table)} WHERE id = ${id}`);

/** What people and programs do, so that each type happens. */
const HAPPEN: readonly (() => Promise<unknown>)[] = [
	async function changed() {
		const { id } = await image({ labels: '{"a":"1"}', external_id: "x" });
		await called("PATCH", `/images/${id}`, { caption: "new", labels: { a: "2" } });
		await called("DELETE", `/images/${id}`);
		await called("POST", `/images/${id}/restore`);
	},
	async function moved() {
		const user = await connectUser(service.database, shop.app);
		await called("POST", `/images/${(await image()).id}/move`, { user_id: user.id });
	},
	async function moderated() {
		const { id } = await image();
		for (const verb of ["lock", "unlock"] as const) await acted(service, operator, id, verb);
		await acted(service, operator, id, "block", { reason: "spam" });
		await acted(service, operator, id, "unblock");
	},
	async function expired() {
		await image({ ttl: "5m" });
		service.clock.advance(301_000);
		await service.sweep();
	},
	async function uploadedByTicket() {
		const caller = { key: shop.app.key };
		await useTicket(service, await ticket(service, { fields: { labels: { a: "1" } } }, caller), await plain(8, 8));
	},
	async function imported() {
		await called("POST", "/imports", { items: [{ url: receiver.origin.url("/none.png") }] });
		await service.runJobs();
	},
	async function keyed() {
		const { id } = await asked("POST", "/keys", { name: "A", reach: "app", permissions: ["read"] });
		await asked("DELETE", `/keys/${id}`);
	},
	async function bought() {
		const customer = await addCustomer(service, shop);
		await subscribe(customer, shop.trial);
		await press(customer, "cancel");
		await press(customer, "withdraw");
	},
	async function cameAndWent() {
		const account = await addAccount(service.database);
		const person = { pk: await pkOf("accounts", account) };
		const signedIn = { person, appPk: await pkOf("apps", shop.app.id), redirectUri: CALLBACK };
		expect(await connect(service.rooms.connect, signedIn)).toHaveProperty("code");
		const gone = await connectUser(service.database, shop.app);
		await asked("DELETE", `/users/${gone.id}`);
	},
	async function closed() {
		for (const verb of ["pause", "resume"]) await asked("POST", `/${verb}`);
		const at = `/v1/operator/apps/${shop.app.id}`;
		await made(send(service, "POST", `${at}/block`, { reason: "spam" }, as(operator)));
		await made(send(service, "POST", `${at}/unblock`, {}, as(operator)));
	},
	async function servedMuch() {
		service.rooms.images.dailyCounters.countServed((await pkOf("storages", shop.app.storageId)) ?? 0, 10_000_000_000);
		await service.writeUsage();
	},
	async function disabled() {
		const body = { url: receiver.origin.url("/other"), types: ["image.created"] };
		const { id } = await asked("POST", "/webhook_endpoints", body);
		await asked("PATCH", `/webhook_endpoints/${id}`, { state: "disabled" });
	},
];

/** The whole feed, oldest first. */
async function feed(after = ""): Promise<readonly Event[]> {
	const page = await called<List<Event>>("GET", `/events?limit=100${after && `&after=${after}`}`);
	const last = page.data.at(-1)?.id;
	return last === undefined ? [] : [...page.data, ...(await feed(last))];
}

const nounOf = (type: string) => type.split(".")[0] as EventNoun;
const isTombstone = (event: Event) => "deleted" in event.data.object;

/** What a body lacks of a shape of the API document. */
function faultsOf(shape: string, body: unknown): readonly string[] {
	const isRight = schemas.getSchema(`document#/components/schemas/${shape}`);
	if (isRight === undefined) throw new Error(`The API document has no ${shape}.`);
	return isRight(body) ? [] : [schemas.errorsText(isRight.errors)];
}

/** Says of events which of them are not as the API document shows such an object. */
function misshapen(told: readonly Event[]): readonly string[] {
	return told.flatMap((event) => {
		const { shape, besides }: Noun = isTombstone(event)
			? { shape: "Tombstone", tables: [] }
			: NOUNS[nounOf(event.type)];
		const faults = [...faultsOf("Event", event), ...faultsOf(shape, { ...event.data.object, ...besides })];
		return faults.map((fault) => `${event.type}: ${fault}`);
	});
}

/** What a change of the schema may add: columns that may be left out. */
function isAddable(noun: EventNoun, name: string): boolean {
	const found = NOUNS[noun].tables.map((table: Table) => getTableColumns(table)[name]).find((column) => column);
	return found !== undefined && (!found.notNull || found.hasDefault);
}

interface Stored {
	readonly type: EventType;
	readonly data: { readonly object?: Readonly<Record<string, unknown>> };
}

/** The stored events of the App, of each type the last. */
async function stored(): Promise<readonly Stored[]> {
	const query = sql`SELECT type, data FROM events WHERE data IS NOT NULL GROUP BY type HAVING max(pk)`;
	const rows = await service.database.read(() => service.database.queries.values<[EventType, string]>(query));
	return rows.map(([type, data]) => ({ type, data: JSON.parse(data) }));
}

/** The step that stores an event again, as a release wrote it whose tables had not all of the columns. */
function storeWithout({ type, data }: Stored, left: (name: string) => boolean): Step {
	const members = Object.entries(data.object ?? {}).filter(([name]) => !left(name));
	const json = JSON.stringify({ ...data, object: Object.fromEntries(members) });
	const row = sql`SELECT ${newId("evt")}, pk, ${type}, 'x', ${json}, ${service.clock.now()} FROM apps WHERE id = ${shop.app.id}`;
	return { run: sql`INSERT INTO events (id, app_pk, type, subject, data, created_ms) ${row}` };
}

test("each type of event is made by something that happens in the running program", async () => {
	const types = new Set((await feed()).map(({ type }) => type));
	expect(EVENT_TYPES.filter((type) => !types.has(type))).toEqual([]);
});

describe("an event of before a column", () => {
	test("is shown whole by the feed, whichever column came since", async () => {
		const before = (await feed()).at(-1)?.id;
		const steps = (await stored()).flatMap((event) => {
			const names = Object.keys(event.data.object ?? {}).filter((name) => isAddable(nounOf(event.type), name));
			return names.map((left) => storeWithout(event, (name) => name === left));
		});
		await service.database.write(steps);
		const told = await feed(before);
		expect(misshapen(told)).toEqual([]);
		expect(told).toHaveLength(steps.length);
		expect(steps.length).toBeGreaterThan(100);
	});

	test("is sent whole to webhooks, and shown whole, where all such columns came since", async () => {
		const before = (await feed()).at(-1)?.id;
		const kept = await stored();
		await service.database.write(
			kept.map((event) => storeWithout(event, (name) => isAddable(nounOf(event.type), name))),
		);
		const told = await feed(before);
		const ids = new Set(told.map(({ id }) => id));
		await service.sendWebhooks();
		const sent = receiver.received
			.filter(({ path }) => path === "/all")
			.map(({ body }) => JSON.parse(body) as Event)
			.filter(({ id }) => ids.has(id));
		expect(misshapen(sent)).toEqual([]);
		expect(told.map(({ type }) => type).sort()).toEqual([...EVENT_TYPES].sort());
		const byId = (one: Event, other: Event) => (one.id < other.id ? -1 : 1);
		expect(sent.sort(byId)).toEqual([...told].sort(byId));
	});
});
