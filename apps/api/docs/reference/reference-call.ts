import { readFile } from "node:fs/promises";
import { Failure, invalid } from "@svc/base/failure";
import { Faults } from "@svc/base/http/faults";
import { networkOf } from "@svc/base/http/network";
import { mediaType, readText, unreadable } from "../../kit/body/body.ts";
import { type MultipartBody, readForm } from "../../kit/body/form.ts";
import type { ApiRooms } from "../../kit/rooms.ts";
import type { Place } from "./reference-bodies.ts";
import { BEARER_FIELD, BODY_FIELD, FILE_FIELD, REVEAL_FIELD } from "./reference-form.ts";
import { fieldsOf, filledPath, type Listed, takesFile } from "./reference-operations.ts";

/* From a form that was sent to the call that it stands for. Nothing of it can name another address than the operation's. */

const FORM_MAX_BYTES = 700_000;
const TEXT_MAX_LETTERS = 8_000;
const PARTS_MAX = 64;

export interface SentCall {
	readonly fields: ReadonlyMap<string, string>;
	readonly file: MultipartBody["file"];
}

/**
 * Reads the form; the caller owns its staged file.
 * @throws Failure bad_request, validation_error; rate_limited for files that come too fast from one network
 */
export async function readTry(rooms: ApiRooms, request: Request, one: Listed): Promise<SentCall> {
	const client = networkOf(rooms.addressOf(request));
	if (mediaType(request) === "application/x-www-form-urlencoded") {
		const fields = new Map<string, string>();
		for (const [name, value] of new URLSearchParams(await readText(request, FORM_MAX_BYTES))) {
			if (fields.has(name)) throw unreadable("The form has a field twice.");
			fields.set(name, value);
		}
		return { fields, file: undefined };
	}
	if (mediaType(request) !== "multipart/form-data") throw unreadable("Send the form of this page.");
	// Nobody is known before the form is read, and a file goes to the disk.
	if (takesFile(one)) rooms.limits.uploads.take(client);
	const bounds = {
		fileMaxBytes: takesFile(one) ? rooms.variant.files.maxBytes : 0,
		...{ frameMaxBytes: FORM_MAX_BYTES, partsMax: PARTS_MAX, client },
	};
	const { fields, file } = await readForm(request, rooms.images.blobs.stage, bounds);
	return { fields: new Map(Object.entries(fields)), file };
}

/** @throws Failure validation_error for what is missing, or can be in no address or header */
export async function callOf(one: Listed, { fields, file }: SentCall, place: Place, bearer: string | undefined) {
	const faults = new Faults();
	const headers = new Headers();
	const take = (name: string) => (fields.get(name) ?? "").trim();
	for (const { name, in: where } of one.parameters) {
		const fault = faultOf(take(name), where);
		if (fault) faults.add(name, [fault]);
	}
	if (faults.some) throw faults.failure();
	for (const { name, in: where } of one.parameters) {
		if (where === "header" && take(name) !== "") headers.set(name, take(name));
	}
	if (bearer !== undefined) headers.set("Authorization", `Bearer ${bearer}`);
	const body = await bodyOf(one, fields, file);
	if (typeof body === "string") headers.set("Content-Type", "application/json");
	return new Request(addressOf(one, take, place), { method: one.method, headers, ...(body !== undefined && { body }) });
}

function faultOf(value: string, where: string): string | undefined {
	if (value.length > TEXT_MAX_LETTERS) return "is too long";
	if (where === "header") return /^[\x20-\x7e]*$/.test(value) ? undefined : "must be printable ASCII characters";
	if (where !== "path") return undefined;
	if (value === "") return "is required";
	// A step of dots would lead to another address.
	return /^(\.|%2e){1,2}$/i.test(value) || !value.isWellFormed() ? "is no id" : undefined;
}

function addressOf(one: Listed, take: (name: string) => string, { base }: Place): URL {
	const [server] = one.operation.servers ?? [];
	const path = filledPath(one, take);
	const url = new URL(`${server?.url ?? base}${path}`);
	if (url.pathname !== path) throw invalid("path", "is no address of this operation");
	for (const { name, in: where, schema } of one.parameters) {
		if (where === "query")
			for (const pair of queryOf(name, take(name), schema?.type === "object")) url.searchParams.append(...pair);
	}
	return url;
}

function queryOf(name: string, value: string, isObject: boolean): [name: string, value: string][] {
	if (value === "") return [];
	return isObject ? pairs(value).map(([key, part]) => [`${name}[${key}]`, part]) : [[name, value]];
}

/** `album=summer` of a parameter that is an object. */
function pairs(text: string): readonly (readonly [string, string])[] {
	return [...new URLSearchParams(text)];
}

async function bodyOf(one: Listed, fields: SentCall["fields"], file: SentCall["file"]): Promise<BodyInit | undefined> {
	if (!one.body) return undefined;
	if (takesFile(one)) return await partsOf(one, fields, file);
	return fields.get(BODY_FIELD)?.trim() || undefined;
}

async function partsOf({ body }: Listed, fields: SentCall["fields"], file: SentCall["file"]): Promise<FormData> {
	const form = new FormData();
	for (const name of Object.keys(fieldsOf(body?.schema ?? {}))) {
		const value = name === FILE_FIELD ? "" : (fields.get(name) ?? "");
		if (value !== "") form.append(name, value);
	}
	// A browser sends an empty file where none was chosen.
	if (file && file.staged.bytes > 0) {
		const { filename, contentType } = file.hints;
		const blob = new Blob([await readFile(file.staged.path)], { type: contentType ?? "" });
		form.append(FILE_FIELD, blob, filename ?? FILE_FIELD);
	}
	return form;
}

/** What was pasted to make the call with. @throws Failure validation_error for what can be no key or token */
export function bearerOf({ fields }: SentCall): string | undefined {
	const pasted = fields.get(BEARER_FIELD)?.trim() ?? "";
	if (pasted === "") return undefined;
	if (/^[\x21-\x7e]{1,500}$/.test(pasted)) return pasted;
	throw new Failure("validation_error", { [BEARER_FIELD]: ["is no key and no token"] });
}

export function isRevealed({ fields }: SentCall): boolean {
	return fields.get(REVEAL_FIELD) === "yes";
}
