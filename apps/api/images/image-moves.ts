import type { Access } from "@svc/apps/access";
import { Failure } from "@svc/base/failure";
import { isId } from "@svc/base/ids";
import { moveImage } from "@svc/images/change/move-image";
import { replaceImage } from "@svc/images/change/replace-image";
import { restoreImage } from "@svc/images/change/restore-image";
import { copyImage } from "@svc/images/create/copy-image";
import { replacementKey } from "@svc/images/create/idempotency";
import { text } from "@svc/variants/bounds";
import { about } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accessTo, ok, storageRoute } from "../kit/call.ts";
import type { Answer, StorageCall } from "../kit/call-types.ts";
import { answers, schemaOf } from "../kit/document/document.ts";
import { readKey } from "../kit/headers.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { register, route } from "../kit/route.ts";
import { answerCreate, importUrl, readReplacement } from "./create.ts";
import { type Included, readIncluded, showImage } from "./facts.ts";
import { ID, IDEMPOTENCY_HEADER, includeParameters, STORAGE_HEADERS } from "./images-document.ts";

const USER_RULE = "must be a user id, or null for the App storage";
/** The id of a connected user. */
export const user = v.pipe(
	text(100, USER_RULE, USER_RULE),
	v.check((id) => isId("usr", id), USER_RULE),
);
const target = { user_id: about(v.nullable(user), "A connected user of the App; null: the App storage.") };

const tags = ["images"];

/** What can be done with an image besides the specification's changes. */
export function imageMoves(app: Elysia, rooms: ApiRooms): void {
	const writes = storageRoute(rooms, "write");
	const { schema } = rooms.variant.image;
	const parameters = [...STORAGE_HEADERS, ...includeParameters(rooms.variant)];
	route(app, "POST", "/v1/images/:id/restore", writes, {
		operationId: "restoreImage",
		summary: "Brings an image back that was deleted in the last 24 hours, under its id and addresses",
		tags,
		parameters,
		answers: { 200: schema },
		again: (call, { body }) => requireInPlace(rooms, call.access, body),
		run: async (call) => {
			const included = readIncluded(rooms, call);
			const image = await restoreImage(rooms.images, call.access, call.params.id);
			return ok(await showImage(rooms, image, included));
		},
	});
	const replaces = writes((call) => replace(rooms, call));
	register(app, "POST", "/v1/images/:id/replace", replaces, replaceDetail(rooms));
	route(app, "POST", "/v1/images/:id/copy", writes, {
		operationId: "copyImage",
		summary: "Makes another image of the same bytes, dates, labels and texts, here or in another storage of the App",
		tags,
		parameters,
		body: target,
		answers: { 201: schema },
		again: (call, answer) => requireMoved(rooms, call, answer),
		run: async (call) => {
			requireWholeApp(call);
			const included = readIncluded(rooms, call);
			return await copy(rooms, call, (await call.input()).user_id, included);
		},
	});
	route(app, "POST", "/v1/images/:id/move", writes, {
		operationId: "moveImage",
		summary: "Moves an image into another storage of the App: the same id, another url, and the old address is gone",
		tags,
		parameters,
		body: target,
		answers: { 200: schema },
		again: (call, answer) => requireMoved(rooms, call, answer),
		run: async (call) => {
			requireWholeApp(call);
			const included = readIncluded(rooms, call);
			const { user_id } = await call.input();
			const to = await accessTo(rooms, call, user_id);
			return ok(await showImage(rooms, await moveImage(rooms.images, call.access, to, call.params.id), included));
		},
	});
}

async function copy(rooms: ApiRooms, call: StorageCall, user: string | null, included: Included): Promise<Answer> {
	rooms.limits.creates.take(call.access.caller.pk);
	const to = await accessTo(rooms, call, user);
	const image = await copyImage(rooms.images, call.access, to, call.params.id ?? "");
	return await answerCreate(rooms, { image, replayed: false }, included);
}

/** Of a copy or a move whose answer is to be given again. */
async function requireMoved(rooms: ApiRooms, call: MoveCall, { body }: Answer): Promise<void> {
	requireWholeApp(call);
	await requireInPlace(rooms, await accessTo(rooms, call, (await call.input()).user_id), body);
}

interface MoveCall extends StorageCall {
	input(): Promise<{ readonly user_id: string | null }>;
}

/** @throws Failure idempotency_recovery_conflict where an image that was answered is in this storage no more: its address is dead */
async function requireInPlace({ images, clock }: ApiRooms, { storage }: Access, shown: unknown): Promise<void> {
	const { id } = shown as { readonly id: string };
	if (!(await images.store.find(storage.pk, id, clock.now()))) throw new Failure("idempotency_recovery_conflict");
}

/** @throws Failure forbidden for a key that has one storage */
function requireWholeApp({ access }: StorageCall): void {
	const { reach } = access.caller;
	if (reach === "app" || reach === "team") return;
	throw Failure.saying("forbidden", "This call needs an App-wide key, or an Editor of the App.");
}

async function replace(rooms: ApiRooms, call: StorageCall): Promise<Answer> {
	const included = readIncluded(rooms, call);
	rooms.limits.creates.take(call.access.caller.pk);
	const id = call.params.id ?? "";
	const sent = readKey(call.request);
	const source = await readReplacement(rooms, call.request);
	const key = sent === undefined ? undefined : replacementKey(sent, id, source);
	const made = await replaceImage(rooms.images, call.access, id, { source, key }, rooms.variant.files);
	return { ...(await answerCreate(rooms, made, included)), status: 200 };
}

function replaceDetail({ variant }: ApiRooms) {
	const content = (schema: object, name: string) => ({
		schema: { type: "object" as const, properties: { [name]: schema }, required: [name] },
	});
	return {
		operationId: "replaceImage",
		summary: "Gives an image other bytes, under the same id and address",
		tags: [...tags],
		parameters: [...STORAGE_HEADERS, ID, IDEMPOTENCY_HEADER, ...includeParameters(variant)],
		requestBody: {
			required: true,
			content: {
				"multipart/form-data": content({ type: "string", format: "binary" }, "file"),
				"application/json": content(schemaOf(importUrl), "url"),
			},
		},
		...answers(200, variant.image.schema),
	};
}
