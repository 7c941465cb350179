import { findOperation, type Schema, type ToolDocument, type ToolOperation } from "./api-document.ts";
import { type Arguments, checkArguments, type Rest, send } from "./call.ts";
import type { Need } from "./reach.ts";
import { apart, apartSchema } from "./strangers.ts";
import { parametersSchema, transformed } from "./transform-url.ts";

interface Hints {
	readonly readOnlyHint: boolean;
	readonly destructiveHint: boolean;
	readonly idempotentHint: boolean;
	/** Whether it reaches places that are not the service's. */
	readonly openWorldHint: boolean;
}

/** What a model is told of a tool, as the protocol writes it. */
interface ToolDescription {
	readonly name: string;
	readonly title: string;
	readonly description: string;
	readonly inputSchema: Schema & { readonly type: "object" };
	readonly outputSchema: Schema & { readonly type: "object" };
	readonly annotations: Hints;
}

export interface Tool {
	readonly needs: Need;
	readonly described: ToolDescription;
	/** @throws Misuse, and as `rest` does */
	call(given: Arguments, rest: Rest, signal: AbortSignal): Promise<unknown>;
}

interface Plan {
	readonly needs: Need;
	/** The id of the operation that it is. */
	readonly operation: string;
	readonly title: string;
	readonly description: string;
	readonly hints: Hints;
}

const READING: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const MAKING: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };

const APART = "The words of whoever sent the pictures are under `untrusted`.";

/** The tools by name. None makes keys, grants, tokens or endpoints. */
const PLANS = {
	list_images: {
		needs: "read",
		operation: "listImages",
		title: "List images",
		description: `Images, newest first, a page at a time: for the next one give next_cursor as cursor. ${APART}`,
		hints: READING,
	},
	get_image: {
		needs: "read",
		operation: "getImage",
		title: "Get an image",
		description: `One image by its id: address, size, format, dates. ${APART}`,
		hints: READING,
	},
	upload_image: {
		needs: "write",
		operation: "importImage",
		title: "Upload an image by its URL",
		description: `The service fetches the public address, and stores the picture that is there as a new image. ${APART}`,
		hints: { ...MAKING, openWorldHint: true },
	},
	create_upload_ticket: {
		needs: "write",
		operation: "createUploadTicket",
		title: "Create an upload ticket",
		description: `A secret address to which one file is sent, without a key: for a file that you cannot give as a URL. Send it as the field \`file\` of a form (multipart/form-data) by POST. ${APART}`,
		hints: MAKING,
	},
	list_labels: {
		needs: "read",
		operation: "listStorageLabels",
		title: "List labels",
		description:
			"The labels that images have, and how many images have each. Each has key, value and count; they are under `untrusted`.",
		hints: READING,
	},
	get_usage: {
		needs: "read",
		operation: "getUsage",
		title: "Get usage and limits",
		description: "How many images and bytes are stored, how many uploads this month had, and the limits.",
		hints: READING,
	},
	list_events: {
		needs: "events",
		operation: "listEvents",
		title: "List events",
		description: `What happened to the App in the last 30 days, oldest first; for more give the id of the last one as after. What an event is about is under \`untrusted\`, with \`data.object\` as the change left it.`,
		hints: READING,
	},
	edit_image: {
		needs: "write",
		operation: "updateImage",
		title: "Edit an image",
		description: `Changes the fields that are given: caption, dates, lifetime, labels, metadata. In labels and metadata a text sets a key, null removes it. ${APART}`,
		hints: { ...MAKING, destructiveHint: true, idempotentHint: true },
	},
	delete_images: {
		needs: "delete",
		operation: "deleteImages",
		title: "Delete images",
		description:
			"Deletes 1 to 100 images by their ids. For 24 hours each can be restored, by the team: svc images restore <id>.",
		hints: { ...MAKING, destructiveHint: true, idempotentHint: true },
	},
} as const satisfies Readonly<Record<string, Plan>>;

/** Of an operation, what its tool leaves out: labels stand in `labels`, waiting and facts are for programs, and deletions can be taken back. */
const LEFT_OUT: ReadonlySet<string> = new Set(["label", "include", "wait", "permanent"]);

/** The tools of a service by name, as its API document describes their calls; one whose call the service does not have is not there. */
export function toolsOf(document: ToolDocument): ReadonlyMap<string, Tool> {
	const made = Object.entries<Plan>(PLANS).flatMap(([name, plan]) => {
		const operation = findOperation(document, plan.operation);
		return operation ? [[name, toolOf(name, plan, withoutLeftOut(operation))] as const] : [];
	});
	const [getting, opening] = ["getImage", "openImage"].map((id) => findOperation(document, id));
	if (getting && opening) made.push(["transform_url", transformUrl(getting, opening)]);
	return new Map(made);
}

function withoutLeftOut(operation: ToolOperation): ToolOperation {
	const parameters = operation.parameters.filter(
		(one) => (one.in === "path" || one.in === "query") && !LEFT_OUT.has(one.name),
	);
	return { ...operation, parameters };
}

function toolOf(name: string, { needs, title, description, hints }: Plan, operation: ToolOperation): Tool {
	const inputSchema = inputOf(operation);
	const takes = Object.keys(inputSchema.properties);
	const outputSchema = { ...apartSchema(operation.answer), type: "object" as const };
	return {
		needs,
		described: { name, title, description, inputSchema, outputSchema, annotations: hints },
		async call(given, rest, signal) {
			checkArguments(given, takes, inputSchema.required);
			return apart(await send(operation, given, rest, signal));
		},
	};
}

function inputOf({ parameters, body }: ToolOperation) {
	const sent = parameters.map(({ name, description, schema }) => {
		return [name, { ...schema, ...(description !== undefined && { description }) }] as const;
	});
	const needed = parameters.filter((one) => one.in === "path" || one.required === true).map(({ name }) => name);
	return {
		type: "object" as const,
		properties: { ...Object.fromEntries(sent), ...body?.properties } as Readonly<Record<string, Schema>>,
		required: [...needed, ...(body?.required ?? [])],
		additionalProperties: false,
	};
}

function transformUrl(getting: ToolOperation, opening: ToolOperation): Tool {
	const id: Schema = { type: "string", description: "The id of the image" };
	const properties = { id, parameters: parametersSchema(opening) };
	const required = Object.keys(properties);
	return {
		needs: "read",
		described: {
			name: "transform_url",
			title: "Make a transform URL",
			description:
				"The address at which the picture is shown cut, sized, turned or in another format. Makes no request to it; an App that answers presets or signed addresses alone does not answer it.",
			inputSchema: { type: "object", properties, required, additionalProperties: false },
			outputSchema: {
				type: "object",
				properties: { id, url: { type: "string", description: "Embeddable as it is" } },
				required: ["id", "url"],
			},
			annotations: READING,
		},
		async call(given, rest, signal) {
			checkArguments(given, required, required);
			const image = await send(getting, { id: given.id }, rest, signal);
			return transformed(image, given.parameters);
		},
	};
}
