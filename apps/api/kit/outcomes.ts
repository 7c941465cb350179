import { FAILURE_CODES, Failure, type FailureCode } from "@svc/base/failure";
import { errorBody } from "@svc/base/http/envelope";
import { type Described, eachOperation, type NamedDocument, type Operation } from "./document/api-document.ts";
import { statusOf } from "./refusals/failure.ts";

/*
 * What a call may answer besides its success. Most of it follows from what the call takes: who has to be known may be unknown, what has
 * an id may be missing. What does not is named by the call itself. Tests compare every answer with it.
 */

/** How an answer of this status is called in clients. */
const NAMES: Readonly<Record<number, string>> = {
	400: "BadRequest",
	401: "Unauthorized",
	403: "Forbidden",
	404: "NotFound",
	409: "Conflict",
	422: "Unprocessable",
	429: "TooManyRequests",
	500: "ServerError",
	502: "BadGateway",
	503: "ServiceUnavailable",
	504: "GatewayTimeout",
};

const integer = (description: string) => ({ description, schema: { type: "integer", minimum: 0 } });

const HEADERS = {
	"X-Request-Id": { description: "Finds the answer in the service's log", schema: { type: "string" } },
	Link: { description: 'Where the refusal is explained, with rel="help"', schema: { type: "string" } },
	"Retry-After": integer("Seconds after which the same request may succeed; only where waiting helps"),
	"Idempotent-Replayed": {
		description: "The call was made before, under the same Idempotency-Key, and is answered as it was then",
		schema: { type: "string", enum: ["true"] },
	},
	"X-Processing-Time": integer("Milliseconds"),
	"X-Monthly-Uploads-Used": integer("Uploads in this month"),
	"X-Monthly-Uploads-Limit": integer("How many there may be"),
	"X-Monthly-Uploads-Remaining": integer("How many are left, never under 0"),
	"X-Storage-Used": integer("Bytes"),
	"X-Storage-Limit": integer("Bytes"),
	"X-Storage-Remaining": integer("Bytes, never under 0"),
	"X-Limits-Enforced": {
		description: "false where limits are counted, and refuse nothing",
		schema: { type: "string", enum: ["true", "false"] },
	},
	"X-RateLimit-Limit": integer("Without a key: images in an hour"),
	"X-RateLimit-Remaining": integer("Without a key: how many are left"),
	"X-RateLimit-Reset": integer("Without a key: when they are counted anew, in seconds since 1970"),
	"X-Svc-Action": { description: "Without a key: where to sign up", schema: { type: "string" } },
} as const;

type Header = keyof typeof HEADERS;

const beginning = (pattern: RegExp) => Object.keys(HEADERS).filter((name): name is Header => pattern.test(name));
const COUNTERS = beginning(/^X-(Monthly|Storage)/);
const WITHOUT_KEY = beginning(/^X-(RateLimit|Svc)/);

/** What the answers of a group of calls carry besides, refusals too, by what the names of their refusals end with. */
const GROUPS = {
	"": [],
	WithUsage: COUNTERS,
	OfCreate: [...COUNTERS, "X-Limits-Enforced", "X-Processing-Time"],
	OfOpenCreate: [...COUNTERS, "X-Processing-Time", ...WITHOUT_KEY],
} satisfies Record<string, readonly Header[]>;

type Group = keyof typeof GROUPS;

/** Calls about one storage without the header that selects it. */
const ALSO_COUNTED = new Set(["getKey", "exchange", "listPlans", "getBillingStatus", "listOwnUsers", "getOwnUser"]);
const CREATES = new Set(["createImage", "importImage"]);

function groupOf({ operationId, security, parameters }: Operation): Group {
	if (CREATES.has(operationId)) return security ? "OfOpenCreate" : "OfCreate";
	const isCounted = ALSO_COUNTED.has(operationId) || parameters?.some(({ name }) => name === "X-Svc-User");
	return isCounted ? "WithUsage" : "";
}

export function withOutcomes(document: NamedDocument): NamedDocument {
	const responses = new Map<string, Described>();
	const { paths } = eachOperation(document, (operation, path, method) => {
		const group = groupOf(operation);
		const refusals = refusalsOf(operation, path, method).map((status) => {
			const name = `${NAMES[status]}${group}`;
			responses.set(name, responses.get(name) ?? refusal(status, group));
			return [status, { $ref: `#/components/responses/${name}` }];
		});
		const { default: other, ...known } = operation.responses;
		const headers = successHeaders(operation, group);
		const successes = Object.entries(known).map(([status, response]) => [status, { ...response, headers }]);
		return { ...operation, responses: Object.fromEntries([...successes, ...refusals, ["default", other]]) };
	});
	const headers = Object.fromEntries(Object.entries(HEADERS).map(([name, header]) => [componentOf(name), header]));
	const named = Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1)));
	return { ...document, paths, components: { ...document.components, headers, responses: named } };
}

function componentOf(header: string): string {
	return header.replaceAll("-", "");
}

/** One refusal for all calls that may give it; its examples are the sentences of the table of codes. */
function refusal(status: number, group: Group): Described {
	const codes = FAILURE_CODES.filter((code) => statusesOf(code).includes(status));
	const examples = codes.map((code) => [code, { value: errorBody(new Failure(code)) }]);
	const content = { schema: { $ref: "#/components/schemas/Error" }, examples: Object.fromEntries(examples) };
	return {
		description: codes.map((code) => `\`${code}\``).join(", "),
		headers: headersOf(["X-Request-Id", "Link", "Retry-After", ...GROUPS[group]]),
		content: { "application/json": content },
	};
}

function statusesOf(code: FailureCode): readonly number[] {
	return [false, true].map((timedOut) => statusOf(new Failure(code, undefined, { timedOut })));
}

function headersOf(names: readonly Header[]): Record<string, object> {
	return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]));
}

function successHeaders({ operationId, parameters }: Operation, group: Group): Record<string, object> {
	const isKeyed = parameters?.some(({ name }) => name === "Idempotency-Key");
	return headersOf([
		"X-Request-Id",
		...(isKeyed || operationId === "uploadWithTicket" ? (["Idempotent-Replayed"] as const) : []),
		...GROUPS[group],
		...(operationId === "getUsage" ? (["X-Limits-Enforced"] as const) : []),
	]);
}

/** The statuses of the refusals that a call may give, in order. */
function refusalsOf(operation: Operation, path: string, method: string): readonly number[] {
	const isOpen = operation.security?.length === 0;
	const selects = operation.parameters?.some(({ name }) => name === "X-Svc-App");
	const found = [
		...(isOpen ? [] : [401, 403]),
		...(operation.requestBody ? [400] : []),
		...(selects || path.includes("{") ? [404] : []),
		...(isOpen || method === "get" ? [] : [409]),
		...[422, 429, 500, 503],
		...(FURTHER_REFUSALS[operation.operationId] ?? []),
	];
	return [...new Set(found)].sort();
}

/** What neither the address nor the body of a call lets one expect. */
const FURTHER_REFUSALS: Readonly<Record<string, readonly number[]>> = {
	importImage: [502, 504],
	replaceImageByUrl: [502, 504],
	uploadWithTicket: [403, 409],
	bootstrap: [404, 409],
	previewAppPlan: [409],
	receiveProcessorEvent: [400, 401, 404],
	advanceClock: [404],
	simulateBilling: [404],
	verifyLogin: [403],
	verifyPasskey: [403],
};
