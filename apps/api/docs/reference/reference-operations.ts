import type { ApiDocument, NamedDocument, Operation, Parameter } from "../../kit/document/api-document.ts";
import type { JsonSchema } from "../../kit/document/components.ts";

/* The operations of the API document as the reference shows and makes them. */

export interface Listed {
	readonly id: string;
	readonly method: string;
	/** Without what stands behind `#`, which only tells two operations of one address apart. */
	readonly path: string;
	readonly noun: string;
	readonly operation: Operation;
	readonly parameters: readonly Parameter[];
	/** Of the body, where there is one: its media type, and what it is made of. */
	readonly body: { readonly type: string; readonly schema: JsonSchema } | undefined;
}

/** What costs money or cannot be undone is not done from a page; what a payment processor signs cannot be. */
const WITHOUT_FORM: ReadonlySet<string> = new Set([
	...["deleteApp", "deleteMe", "disconnect", "checkoutAppPlan", "refundInvoice", "withdrawOwnPlan"],
	...["cancelSubscription", "receiveProcessorEvent", "refundSubscription"],
]);

export function hasForm({ id }: Pick<Listed, "id">): boolean {
	return !WITHOUT_FORM.has(id);
}

export function operationsOf({ paths }: ApiDocument): readonly Listed[] {
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => listed(path, method, operation)),
	);
}

function listed(path: string, method: string, operation: Operation): Listed {
	const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
	return {
		id: operation.operationId,
		method: method.toUpperCase(),
		path: path.replace(/#.*/, ""),
		noun: operation.tags?.[0] ?? "",
		operation,
		parameters: operation.parameters ?? [],
		body: type === undefined || content === undefined ? undefined : { type, schema: content.schema },
	};
}

export function takesFile({ body }: Listed): boolean {
	return body?.type === "multipart/form-data";
}

/** The fields of a body, by their names. */
export function fieldsOf({ properties }: JsonSchema): Readonly<Record<string, JsonSchema>> {
	return (properties ?? {}) as Readonly<Record<string, JsonSchema>>;
}

/** What a value of this schema looks like, where it says so. */
export function exampleIn({ examples, default: usual }: JsonSchema = {}): unknown {
	return Array.isArray(examples) ? examples[0] : usual;
}

/** Calls for an App's backend that name no storage. */
const FOR_KEYS: ReadonlySet<string> = new Set([
	...["exchange", "getBillingStatus", "getKey", "getOwnUser", "listOwnUsers", "listPlans"],
]);

/** By what a call is made: an App's key, a person's session or token, or nothing. */
export function credentialOf({ id, operation, parameters }: Listed): "key" | "token" | "none" {
	if (operation.security?.length === 0) return "none";
	return FOR_KEYS.has(id) || parameters.some(({ name }) => name === "X-Svc-User") ? "key" : "token";
}

/** The path with what stands for each of its ids. */
export function filledPath({ path }: Pick<Listed, "path">, standsFor: (name: string) => string): string {
	return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(standsFor(name)));
}

/** The path with the examples of its ids. */
export function examplePath(one: Listed): string {
	return filledPath(one, (name) => String(exampleIn(one.parameters.find((known) => known.name === name)?.schema)));
}

/** The example of a success, and the name of its shape. */
export function answerOf(
	document: NamedDocument,
	{ operation }: Listed,
): { readonly status: string; readonly name: string; readonly value: unknown } | undefined {
	const [status = "", response] = Object.entries(operation.responses).find(([one]) => one.startsWith("2")) ?? [];
	const content = response && "content" in response ? response.content?.["application/json"] : undefined;
	const [name] = Object.keys(content?.examples ?? {});
	if (name === undefined) return undefined;
	const example = document.components.examples?.[name] as { readonly value: unknown } | undefined;
	return { status, name, value: example?.value };
}
