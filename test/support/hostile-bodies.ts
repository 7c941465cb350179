import { documentOf } from "./documents.ts";
import { hostileJsonOf, type JsonDocument } from "./hostile-json.ts";
import type { ServerProcess } from "./process.ts";
import { keyIn } from "./whole-service.ts";

/*
 * Bodies that cost a careless reader far more than they cost whoever sends them, for each operation that takes one: JSON of the API document, forms of
 * files, and forms of pages. Beside each kind stands an ordinary body of its size.
 */

export type Kind = "JSON" | "multipart" | "urlencoded";

export interface HostileBody {
	readonly kind: Kind;
	/** `POST /v1/apps/:id/keys`. */
	readonly operation: string;
	readonly label: string;
	readonly isOrdinary: boolean;
	readonly contentType: string;
	/** Made when it is asked for. */
	body(): string | Uint8Array<ArrayBuffer>;
}

/** Near what an upload ticket for 100 bytes once took. */
const FORM_BYTES = 17_000_000;
const PART = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nx\r\n';
const FILE = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n';

function filled(start: string, text: string, bytes = FORM_BYTES): Uint8Array<ArrayBuffer> {
	const whole = Buffer.alloc(start.length + bytes, text);
	whole.write(start, "latin1");
	return whole;
}

const FORMS: readonly (readonly [label: string, body: () => Uint8Array<ArrayBuffer>, boundary?: string])[] = [
	["boundary lines", () => filled("", "--b\r\n")],
	["boundary lines, an empty boundary", () => filled("", "--\r\n"), ""],
	["boundary lines in the file", () => filled(FILE, "\r\n--b")],
	["10,000 tiny parts", () => filled("", PART, 10_000 * PART.length)],
	["a head of a part without end", () => filled("--b\r\n", "X-A: b\r\n")],
	["heads of parts without end", () => filled("", "--b\r\nX-A: b\r\n")],
	["nothing but what is before the first part", () => filled("", "\r\n-")],
	["nothing but what is behind the last part", () => filled(`${FILE}x\r\n--b--\r\n`, "\r\n--")],
	["a field without end", () => filled('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n', "\r\n")],
];

/** Of the operations that take a form with a file. */
const FORM_OPERATIONS = ["POST /v1/images", "POST /v1/images/:id/replace", "POST /v1/uploads/:token"] as const;

function forms(operation: string): readonly HostileBody[] {
	const form = (label: string, body: HostileBody["body"], boundary = "b", isOrdinary = false): HostileBody => {
		const contentType = `multipart/form-data; boundary=${boundary}`;
		return { kind: "multipart", operation, label, isOrdinary, contentType, body };
	};
	const ordinary = () => filled(FILE, "No picture, and as long as one.");
	return [
		form("a file of 17 MB", ordinary, "b", true),
		...FORMS.map(([label, body, boundary]) => form(label, body, boundary)),
	];
}

/** Forms of pages. */
const PAGES = ["POST /account/sign-in", "POST /language"] as const;

function fields(operation: string): readonly HostileBody[] {
	const contentType = "application/x-www-form-urlencoded";
	const form = (label: string, body: () => string, isOrdinary = false): HostileBody => {
		return { kind: "urlencoded", operation, label, isOrdinary, contentType, body };
	};
	return [
		form("one field", () => "language=en", true),
		form("100,000 fields", () => "a=b&".repeat(100_000)),
		form("as many fields as are taken", () => "a&".repeat(4_000)),
		form("nothing but escapes", () => "%41".repeat(200_000)),
	];
}

/** @param perOperation how many hostile bodies of JSON each operation is sent; all unless said */
export async function hostileBodies(perOperation = Number.POSITIVE_INFINITY): Promise<readonly HostileBody[]> {
	const document = await documentOf<JsonDocument>();
	const byOperation = Map.groupBy(hostileJsonOf(document), ({ route }) => route);
	const json = [...byOperation].flatMap(([operation, bodies]): HostileBody[] => {
		const common = { kind: "JSON", operation, contentType: "application/json" } as const;
		const hostile = bodies.slice(0, perOperation).map((one) => ({ ...common, ...one, isOrdinary: false }));
		return [{ ...common, label: "an ordinary one", isOrdinary: true, body: () => "{}" }, ...hostile];
	});
	return [...FORM_OPERATIONS.flatMap(forms), ...PAGES.flatMap(fields), ...json];
}

/** What bodies are sent to: the first App of a service, with what its operator may. */
export interface Target {
	readonly baseUrl: string;
	readonly key: string;
	readonly token: string;
	readonly appId: string;
	readonly imageId: string;
}

/** Of a service that has just been started, after an image was made. */
export async function targetOf({ baseUrl, dataDir, stdout }: ServerProcess, imageId: string): Promise<Target> {
	const { profiles } = (await Bun.file(`${dataDir}/profiles.json`).json()) as {
		profiles: { local?: { token?: string } };
	};
	const token = profiles.local?.token ?? "";
	const apps = await fetch(`${baseUrl}/v1/apps`, { headers: { Authorization: `Bearer ${token}` } });
	const { data } = (await apps.json()) as { data: readonly { id: string }[] };
	return { baseUrl, key: keyIn(stdout()), token, appId: data[0]?.id ?? "", imageId };
}

/**
 * Sends a body as somebody who may: a ticket for 100 bytes, a key, or a person of the App's team. Undefined where the connection was ended
 * before its answer was read.
 */
export async function sendHostile(target: Target, one: HostileBody, network: string): Promise<Response | undefined> {
	const { baseUrl, key, token, appId } = target;
	const [method = "", route = ""] = one.operation.split(" ");
	const path = route === "/v1/uploads/:token" ? await newTicket(target) : pathOf(target, route);
	const isForm = one.kind === "multipart";
	const headers = {
		"Content-Type": one.contentType,
		"X-Forwarded-For": network,
		Origin: new URL(baseUrl).origin,
		...(route !== "/v1/uploads/:token" && { Authorization: `Bearer ${isForm ? key : token}` }),
		...(!isForm && route.startsWith("/v1/") && { "X-Svc-App": appId }),
	};
	return await fetch(`${baseUrl}${path}`, { method, headers, body: one.body(), redirect: "manual" }).catch(
		() => undefined,
	);
}

function pathOf({ appId, imageId }: Target, route: string): string {
	if (route.startsWith("/v1/apps/")) return route.replace(":id", appId).replaceAll(/:\w+/g, "unknown");
	return route.replace(":id", route.startsWith("/v1/images/") ? imageId : "unknown").replaceAll(/:\w+/g, "unknown");
}

async function newTicket({ baseUrl, key }: Target): Promise<string> {
	const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
	const made = await fetch(`${baseUrl}/v1/upload_tickets`, { method: "POST", headers, body: '{"max_bytes":100}' });
	const { url } = (await made.json()) as { url: string };
	return new URL(url).pathname;
}
