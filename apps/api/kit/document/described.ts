import { withOneMediaType } from "../body/media-types.ts";
import { withOutcomes } from "../outcomes.ts";
import { type ApiDocument, answeredJson, eachOperation, type NamedDocument, type Operation } from "./api-document.ts";
import { shapeOf, withComponents } from "./components.ts";
import { withExamples } from "./examples.ts";
import { withPathExamples } from "./path-examples.ts";
import { withTransforms } from "./transform-path.ts";

/* The steps from what the routes say of themselves to the API document that is served. */

/**
 * @param cdn the origin of the transform host
 * @throws Error where two shapes have one name, or an operation takes two kinds of body under one
 */
export function describedWhole(document: ApiDocument, cdn: string): NamedDocument {
	const named: NamedDocument = withComponents(document);
	const steps = [withUsedTags, withPages, withOneMediaType, withOutcomes, withWebhooks, withExamples];
	const described = steps.reduce((known, step) => step(known), named);
	return withPathExamples(withTransforms(described, cdn));
}

const PAGE = [
	{
		name: "limit",
		in: "query",
		schema: { type: "integer", minimum: 1, maximum: 100, default: 50 },
		description: "How many to a page",
	},
	{
		name: "cursor",
		in: "query",
		schema: { type: "string" },
		description: "next_cursor of the page before, with the same filter",
	},
];

/** A version without the calls of a tag does not describe it. */
function withUsedTags(document: NamedDocument): NamedDocument {
	const used = new Set(
		Object.values(document.paths).flatMap((methods) => Object.values(methods).flatMap(({ tags = [] }) => tags)),
	);
	return { ...document, tags: document.tags?.filter(({ name }) => used.has(name)) ?? [] };
}

/** Whatever answers in pages takes the parameters for them. */
function withPages(document: NamedDocument): NamedDocument {
	return eachOperation(document, (one) => (isPaged(document, one) ? paged(one) : one));
}

/** A feed is gone through by `after`, and says so itself. */
function isPaged(document: NamedDocument, operation: Operation): boolean {
	if (operation.parameters?.some(({ name }) => name === "after")) return false;
	const properties = shapeOf(document, answeredJson(operation, "200")?.schema)?.properties;
	return typeof properties === "object" && properties !== null && "pagination" in properties;
}

function paged(operation: Operation): Operation {
	const known = new Set(operation.parameters?.map(({ name }) => name));
	return {
		...operation,
		parameters: [...(operation.parameters ?? []), ...PAGE.filter(({ name }) => !known.has(name))],
	};
}

const WEBHOOK_HEADERS = [
	{ name: "webhook-id", description: "The event's id, the same at every attempt: handle each once" },
	{ name: "webhook-timestamp", description: "Seconds since 1970 at this attempt" },
	{ name: "webhook-signature", description: "`v1,` and the signature of id.timestamp.body, for each valid secret" },
].map((one) => ({ ...one, in: "header", required: true, schema: { type: "string" } }));

/** What is sent to the webhook endpoints of Apps, where there are any. */
function withWebhooks(document: NamedDocument): NamedDocument {
	if (!("Event" in document.components.schemas)) return document;
	const content = { "application/json": { schema: { $ref: "#/components/schemas/Event" } } };
	const post = {
		operationId: "receiveEvent",
		summary: "An event, as the service sends it to a webhook endpoint, signed as Standard Webhooks say",
		tags: ["events"],
		security: [],
		parameters: WEBHOOK_HEADERS,
		requestBody: { required: true, content },
		responses: {
			"2XX": { description: "Delivered. Anything else, or nothing within 15 seconds, is tried again for three days" },
			"410": { description: "Nothing more is sent: the endpoint is disabled" },
		},
	};
	return { ...document, webhooks: { event: { post } } };
}
