import type { Access } from "@svc/apps/access";
import { invalid } from "@svc/base/failure";
import { Faults } from "@svc/base/http/faults";
import { networkOf } from "@svc/base/http/network";
import type { Created } from "@svc/images/create/claim";
import { type CreateRequest, createImage } from "@svc/images/create/create-image";
import type { CreateFields, CreateSource } from "@svc/images/create/create-request";
import { idempotencyKey } from "@svc/images/create/idempotency";
import { text } from "@svc/variants/bounds";
import * as v from "valibot";
import { mediaType, readJson, unreadable } from "../kit/body/body.ts";
import { decodeFields, messages } from "../kit/body/fields.ts";
import { readForm } from "../kit/body/form.ts";
import type { Answer, StorageCall } from "../kit/call-types.ts";
import { readKey } from "../kit/headers.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { type Included, readIncluded, showImage } from "./facts.ts";

/** `POST /v1/images`: the Content-Type says whether a file comes along or an address to fetch one from. */
export async function create(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const { access, request, addHeaders } = call;
	const included = readIncluded(rooms, call);
	addHeaders(rooms.variant.limits.headers(rooms.variant.usage.allowance(access).plan));
	rooms.limits.creates.take(access.caller.pk);
	const asked = await readCreateRequest(rooms, access, request, readKey(request));
	return await answerCreate(rooms, await createImage(rooms.images, access, asked, rooms.variant.files), included);
}

/** `key` is the Idempotency-Key under which the create is remembered. The caller that gets the request owns its staged file. */
export async function readCreateRequest(
	rooms: ApiRooms,
	{ storage }: Access,
	request: Request,
	key: string | undefined,
	defaults: Pick<CreateFields, "ttl"> = {},
): Promise<CreateRequest> {
	const { source, fields: sent } = await readCreate(rooms, request);
	const fields = { ...defaults, ...sent, public: rooms.variant.visibility.initial(sent.public, storage) };
	return { source, fields, key: key === undefined ? undefined : idempotencyKey(key, source, fields) };
}

/** The new bytes of an image, as a part `file` or an address, and nothing else. */
export async function readReplacement(rooms: ApiRooms, request: Request): Promise<CreateSource> {
	const only = { json: {}, form: {}, ignored: new Set<string>() };
	return (await readCreate(rooms, request, only)).source;
}

export async function answerCreate(
	rooms: ApiRooms,
	{ image, replayed }: Created,
	included: Included = new Set(),
): Promise<Answer> {
	if (!replayed) await rooms.images.shrunkMasters.ready(image);
	// After the answer, in the background: the first small rendition then need not decode the whole of a large image.
	if (!replayed) rooms.images.shrunkMasters.want(image);
	if (image.status === "processing") rooms.jobs.wake();
	return {
		status: 201,
		body: await showImage(rooms, image, included),
		headers: replayed ? { "Idempotent-Replayed": "true" } : {},
	};
}

interface ReadCreate {
	readonly source: CreateSource;
	readonly fields: CreateFields;
}

type Fields = ApiRooms["variant"]["create"];

async function readCreate(
	rooms: ApiRooms,
	request: Request,
	fields: Fields = rooms.variant.create,
): Promise<ReadCreate> {
	switch (mediaType(request)) {
		case "application/json":
			return readImport(rooms, request, fields);
		case "multipart/form-data":
			return readUpload(rooms, request, fields);
		default:
			throw unreadable("Send multipart/form-data with a file, or application/json with a url.");
	}
}

/** More than is fetched, so that the rules of fetching say what is wrong with a longer one. */
const URL_MAX = 8_000;

export const importUrl = v.pipe(
	text(URL_MAX, "must be an address of at most 2,048 characters", "is required: the public address of an image"),
	v.check((address) => URL.canParse(address), "must be an absolute http or https address"),
	v.metadata({ jsonSchema: { type: "string", format: "uri", maxLength: 2_048 } }),
);

async function readImport(rooms: ApiRooms, request: Request, { json, ignored }: Fields): Promise<ReadCreate> {
	const { url, ...sent } = await readJson(request);
	const faults = new Faults();
	const address = v.safeParse(importUrl, url);
	if (!address.success) faults.add("url", messages(address.issues));
	const fields = decodeFields(rooms, sent, json, ignored, faults);
	return { source: { kind: "import", url: String(url) }, fields };
}

async function readUpload(rooms: ApiRooms, request: Request, { form: texts, ignored }: Fields): Promise<ReadCreate> {
	const form = await readForm(request, rooms.images.blobs.stage, {
		fileMaxBytes: rooms.variant.files.maxBytes,
		client: networkOf(rooms.addressOf(request)),
	});
	try {
		const faults = new Faults();
		if (!form.file) faults.add("file", ["is required, as a file part"]);
		const fields = decodeFields(rooms, form.fields, texts, ignored, faults);
		if (!form.file) throw invalid("file", "is required, as a file part");
		return { source: { kind: "upload", ...form.file }, fields };
	} catch (cause) {
		await form.file?.staged.discard();
		throw cause;
	}
}
