import type { Image } from "@svc/sdk/shapes";
import type { OpenService } from "./service.ts";

type Fields = Readonly<Record<string, string>>;

/** A multipart body with a file and text fields. */
export function form(file: BlobPart | undefined, name: string, fields: Fields = {}, type = ""): FormData {
	const body = new FormData();
	for (const [key, value] of Object.entries(fields)) body.append(key, value);
	if (file !== undefined) body.append("file", new Blob([file], { type }), name);
	return body;
}

export interface Caller {
	readonly key?: string;
	readonly headers?: Fields;
}

export function headersOf(service: OpenService, { key = service.apiKey, headers = {} }: Caller = {}): Fields {
	return { Authorization: `Bearer ${key}`, ...headers };
}

export function upload(
	service: OpenService,
	file: BlobPart,
	name = "picture.png",
	fields: Fields = {},
	caller: Caller = {},
): Promise<Response> {
	return service.api("/v1/images", {
		method: "POST",
		body: form(file, name, fields),
		headers: headersOf(service, caller),
	});
}

/** An upload that must succeed. */
export async function uploaded(
	service: OpenService,
	file: BlobPart,
	name?: string,
	fields?: Fields,
	caller?: Caller,
): Promise<Image> {
	const response = await upload(service, file, name, fields, caller);
	if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
	return (await response.json()) as Image;
}

export function importImage(service: OpenService, body: unknown, caller: Caller = {}): Promise<Response> {
	return send(service, "POST", "/v1/images", body, caller);
}

export function send(
	service: OpenService,
	method: string,
	path: string,
	body?: unknown,
	caller: Caller = {},
): Promise<Response> {
	const json = body === undefined ? {} : { body: JSON.stringify(body) };
	const headers = { ...headersOf(service, caller), ...(body !== undefined && { "Content-Type": "application/json" }) };
	return service.api(path, { method, ...json, headers });
}

export interface ErrorAnswer {
	readonly status: number;
	readonly type: string;
	readonly code: string;
	readonly message: string;
	readonly fields: readonly string[];
	readonly action: { readonly type: string; readonly retry_after?: number } | undefined;
}

/** An error answer in a form that tests compare at a glance; fails when it is not in the envelope. */
export async function errorOf(response: Response): Promise<ErrorAnswer> {
	const body = (await response.json()) as {
		error: Record<string, unknown> & { details?: object; action?: ErrorAnswer["action"] };
	};
	if (Object.keys(body).join() !== "error") throw new Error(`not the envelope: ${JSON.stringify(body)}`);
	const { type, code, message, details, action } = body.error;
	return {
		status: response.status,
		type: String(type),
		code: String(code),
		message: String(message),
		fields: Object.keys(details ?? {}),
		action,
	};
}
