import { type CreateFields, type CreateSource, createImage } from "@svc/core/create-image";
import { Failure, invalid } from "@svc/core/failure";
import type { FieldSchemas } from "@svc/variants/variant";
import * as v from "valibot";
import { mediaType, readJson, unreadable } from "./body.ts";
import type { Answer, KeyCall } from "./call.ts";
import type { ApiDeps } from "./deps.ts";
import { readForm } from "./form.ts";

/** `POST /v1/images`: the Content-Type says whether a file comes along or an address to fetch one from. */
export async function create(deps: ApiDeps, call: KeyCall): Promise<Answer> {
	const { source, fields } = await readCreate(deps, call.request);
	const image = await createImage(deps, call.access, source, fields, deps.variant.files);
	const enforced = deps.variant.usage.limitsEnforced(call.access.app.plan);
	return {
		status: 201,
		body: deps.variant.image.encode(image, deps.addresses),
		headers: enforced === undefined ? {} : { "X-Limits-Enforced": String(enforced) },
	};
}

interface ReadCreate {
	readonly source: CreateSource;
	readonly fields: CreateFields;
}

async function readCreate(deps: ApiDeps, request: Request): Promise<ReadCreate> {
	switch (mediaType(request)) {
		case "application/json":
			return readImport(deps, request);
		case "multipart/form-data":
			return readUpload(deps, request);
		default:
			throw unreadable("Send multipart/form-data with a file, or application/json with a url.");
	}
}

export const importUrl = v.pipe(
	v.string("is required: the public address of an image"),
	v.check((text) => URL.canParse(text), "must be an absolute http or https address"),
	v.metadata({ jsonSchema: { type: "string", format: "uri", maxLength: 2_048 } }),
);

async function readImport(deps: ApiDeps, request: Request): Promise<ReadCreate> {
	const { url, ...sent } = await readJson(request);
	const faults: Faults = {};
	const address = v.safeParse(importUrl, url);
	if (!address.success) faults.url = messages(address.issues);
	const fields = decodeFields(deps, sent, deps.variant.create.json, faults);
	return { source: { kind: "import", url: String(url) }, fields };
}

async function readUpload(deps: ApiDeps, request: Request): Promise<ReadCreate> {
	const form = await readForm(request, deps.blobs.stage, deps.variant.files.maxBytes);
	try {
		const faults: Faults = {};
		if (!form.file) faults.file = ["is required, as a file part"];
		const fields = decodeFields(deps, form.fields, deps.variant.create.form, faults);
		if (!form.file) throw invalid("file", "is required, as a file part");
		return { source: { kind: "upload", ...form.file }, fields };
	} catch (cause) {
		await form.file?.staged.discard();
		throw cause;
	}
}

type Faults = Record<string, string[]>;

/** All faults of a request are told at once, each under the name that was sent. */
function decodeFields(
	deps: ApiDeps,
	sent: Readonly<Record<string, unknown>>,
	schemas: FieldSchemas,
	faults: Faults,
): CreateFields {
	const { ignored } = deps.variant.create;
	const fields: Record<string, unknown> = {};
	for (const [name, value] of Object.entries(sent)) {
		const schema = Object.hasOwn(schemas, name) ? schemas[name] : undefined;
		if (schema) {
			const parsed = v.safeParse(schema, value);
			if (parsed.success) fields[name] = parsed.output;
			else faults[name] = messages(parsed.issues);
		} else if (name === "public") {
			fields.public = decodePublic(deps, value, faults);
		} else if (!ignored.has(name)) {
			faults[name.slice(0, 100)] = ["is not a field of this call"];
		}
	}
	if (Object.keys(faults).length > 0) throw new Failure("validation_error", faults);
	return fields;
}

function decodePublic(deps: ApiDeps, value: unknown, faults: Faults): boolean | null | undefined {
	try {
		return deps.variant.visibility.decode(value, { nowMs: deps.clock.now(), publicCutoffMs: deps.publicCutoffMs });
	} catch (cause) {
		if (!(cause instanceof Failure)) throw cause;
		Object.assign(faults, cause.details);
		return undefined;
	}
}

function messages(issues: readonly { readonly message: string }[]): string[] {
	return issues.map((issue) => issue.message);
}
