import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfig } from "@svc/server/config/config";
import { wire } from "@svc/server/wire/service";
import { type Origin, startOrigin } from "../support/origin.ts";
import { addPerson } from "../support/people.ts";
import { corners } from "../support/pictures.ts";
import { removeData } from "../support/process.ts";
import { readForms, sendForm, type TryForm } from "../support/reference-forms.ts";
import { type OpenService, openService, TestClock, TestLog } from "../support/service.ts";
import { APP_ROWS } from "./app-rows.ts";
import { type Cast, findStrangers, newCast, type Strangers } from "./cast.ts";
import { type Posting, secretFor } from "./ready.ts";
import { REAL } from "./real-calls.ts";
import { SERVICE_ROWS } from "./service-rows.ts";

/* Every form of the API reference, sent with what is filled in, and with real ids where ids stand. */

const picture = await corners(16, 12);
let origin: Origin;
let service: OpenService;
let strangers: Strangers;
let operations: ReadonlyMap<string, Operation>;
let forms: ReadonlyMap<string, TryForm>;

interface Operation {
	readonly route: string;
	readonly names: readonly string[];
}

beforeAll(async () => {
	origin = await startOrigin((_, response) => response.end(picture));
	service = await openService({ SVC_SIGN_IN_IP_RATE: "0", SVC_IMPORT_ALLOW: origin.host, SVC_VARIANT: "current" });
	strangers = await findStrangers(service);
	operations = await readOperations();
	forms = await readForms(service);
});
afterAll(async () => {
	await service.close();
	origin.stop();
});

async function readOperations(): Promise<ReadonlyMap<string, Operation>> {
	const document = (await (await service.api("/openapi.json", { headers: {} })).json()) as {
		readonly paths: Record<string, Record<string, { readonly operationId: string }>>;
	};
	return new Map(
		Object.entries(document.paths).flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, { operationId }]) => {
				const route = `${method.toUpperCase()} ${path.replace(/#.*/, "").replace(/\{(\w+)\}/g, ":$1")}`;
				return [operationId, { route, names: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name) }] as const;
			}),
		),
	);
}

/** What has no form: it costs money, cannot be undone, or is signed by a payment processor. */
const WITHOUT_FORM = [
	...["cancelSubscription", "checkoutAppPlan", "deleteApp", "deleteMe", "disconnect"],
	...["receiveProcessorEvent", "refundInvoice", "refundSubscription", "withdrawOwnPlan"],
];

/** Fields of bodies that name what there is, or prove who asks. */
const NAMING = [
	...[
		"ids",
		"member",
		"token",
		"code",
		"secret",
		"options",
		"credential",
		"subscription",
		"invoice",
		"blobs",
		"plan_key",
		"records",
	],
];

/** What has a test of its own below. */
const ELSEWHERE = ["bootstrap", "openImage", "revokeOwnKey"];

test("every operation has a form, but for those that cost money or cannot be undone", () => {
	const without = [...operations.keys()].filter((operation) => !forms.has(operation)).sort();
	expect(without).toEqual(WITHOUT_FORM);
	for (const [operation, form] of forms) {
		expect([operation, form.method, operations.get(operation)?.names.map((name) => form.fields.get(name))]).toEqual([
			...[operation, "post"],
			operations.get(operation)?.names.map(() => ""),
		]);
	}
});

test("every form, with what is filled in and real ids, is answered 2xx", async () => {
	const answers: (readonly [operation: string, status: number, html: string])[] = [];
	for (const form of forms.values()) {
		if (ELSEWHERE.includes(form.operation)) continue;
		const { answered, html } = await sendReal(form);
		if (answered < 200 || answered > 299) answers.push([form.operation, answered, textOf(html)]);
	}
	expect(answers).toEqual([]);
}, 300_000);

test("the form of a picture shows what it is, and leads to it", async () => {
	const cast = await newCast(service, strangers);
	const { url } = await cast.as("owner", "GET", `/v1/images/${await cast.image()}`);
	const [team_hash = "", filename = ""] = new URL(String(url)).pathname.slice(1).split("/");
	const { answered, html } = await sendForm(service, form("openImage"), {
		team_hash,
		filename,
		w: "8",
		format: "webp",
	});
	expect([answered, html.includes(`href="${url}?format=webp&amp;w=8"`) || html.includes(`${url}?`)]).toEqual([
		200,
		true,
	]);
	expect(html).toContain("image/webp");
});

test("forms make and revoke a key to one's own storage, where people have one", async () => {
	const legacy = await openService({ SVC_VARIANT: "legacy" });
	const [own, { secret }] = [await readForms(legacy), await addPerson(legacy.database)];
	const made = await sendForm(legacy, form("createOwnKey", own), { bearer: secret });
	const key = /key_[0-9A-Za-z]{22}/.exec(made.html)?.[0] ?? "";
	const revoked = await sendForm(legacy, form("revokeOwnKey", own), { key, bearer: secret });
	expect([made.answered, revoked.answered]).toEqual([201, 200]);
	await legacy.close();
});

test("a form makes the first operator, with the secret of the deployment", async () => {
	const dataDir = await mkdtemp(join(tmpdir(), "svc-reference-"));
	const secret = "a secret of the deployment, long enough";
	const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_BOOTSTRAP_SECRET: secret });
	const empty = await wire(config, { clock: new TestClock(), log: new TestLog() });
	const body = new URLSearchParams({ body: JSON.stringify({ secret, email: "op@example.com" }) });
	const headers = { Host: "localhost:3000" };
	const asked = new Request("http://localhost:3000/docs/api/bootstrap", { method: "POST", body, headers });
	expect(await (await empty.handle(asked, () => "203.0.113.7")).text()).toContain('data-status="201"');
	await empty.close();
	await removeData(dataDir);
});

function form(operation: string, among = forms): TryForm {
	const found = among.get(operation);
	if (!found) throw new Error(`There is no form of ${operation}.`);
	return found;
}

async function sendReal(one: TryForm) {
	const cast = await newCast(service, strangers);
	const { route, names } = operations.get(one.operation) ?? { route: "", names: [] };
	const posting = await realCall(route, cast);
	const changes: Record<string, string | Blob> = pathValues(route, posting.path, names);
	for (const [name, value] of new URL(posting.path, "http://localhost").searchParams) {
		if (one.fields.has(name)) changes[name] = value;
	}
	if (one.fields.has("bearer")) changes.bearer = posting.secret;
	const isKey = posting.secret.startsWith("svc_sk_");
	if (one.fields.has("X-Svc-App") && !isKey) changes["X-Svc-App"] = cast.app.id;
	if (one.operation === "getBillingStatus") changes["X-Svc-User"] = await cast.user();
	if (one.fields.has("file")) changes.file = new Blob([picture], { type: "image/png" });
	const body = one.fields.get("body");
	if (body !== undefined) changes.body = JSON.stringify(realBody(one.operation, JSON.parse(body), posting.body));
	return await sendForm(service, one, changes);
}

async function realCall(route: string, cast: Cast): Promise<Posting> {
	const real = REAL[route];
	if (real) return await real(cast);
	const row = [...APP_ROWS, ...SERVICE_ROWS].find((one) => one.route === route);
	if (!row) throw new Error(`There is no row of ${route}.`);
	return { ...(await row.attempt(cast)), secret: secretFor(row.audience, cast) };
}

function pathValues(route: string, path: string, names: readonly string[]): Record<string, string> {
	const pattern = new RegExp(`^${route.replace(/^\w+ /, "").replace(/:\w+/g, "([^/?]+)")}`);
	const found = pattern.exec(path) ?? [];
	return Object.fromEntries(names.map((name, at) => [name, found[at + 1] ?? ""]));
}

type Body = Readonly<Record<string, unknown>>;

function realBody(operation: string, filled: Body, real: unknown): Body {
	const named = Object.entries((real ?? {}) as Body).filter(
		([name]) => name in filled && (NAMING.includes(name) || `${operation}.${name}` === "addOperator.email"),
	);
	const urls = { importImage: origin.url("/a.png"), replaceImageByUrl: origin.url("/a.png") };
	const url = urls[operation as keyof typeof urls] ?? (operation === "createReport" ? (real as Body).url : undefined);
	return { ...filled, ...Object.fromEntries(named), ...(url !== undefined && { url }) };
}

function textOf(html: string): string {
	return html
		.slice(html.indexOf("data-status"))
		.replace(/<[^>]+>/g, "")
		.slice(0, 300);
}
