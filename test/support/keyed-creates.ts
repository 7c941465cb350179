import { apiApp } from "@svc/api/app";
import type { ApiRooms } from "@svc/api/kit/rooms";
import type { Images } from "@svc/images/room";
import type { Image } from "@svc/sdk/shapes";
import { sql } from "drizzle-orm";
import { addApp, countOf, setPlan, type TestApp } from "./apps.ts";
import { startOrigin } from "./origin.ts";
import { plain } from "./pictures.ts";
import { type Caller, type ErrorAnswer, errorOf, form, headersOf, importImage, upload } from "./requests.ts";
import { changedRoom, type OpenService, openService } from "./service.ts";

/* Creates under an Idempotency-Key, by an App without an images limit. */

type Fields = Readonly<Record<string, string>>;

interface Process {
	upload(key: string): Promise<Response>;
	importFrom(key: string, path: string): Promise<Response>;
}

export interface KeyedCreates {
	readonly service: OpenService;
	readonly app: TestApp;
	readonly file: Buffer<ArrayBuffer>;
	/** Paths that imports asked for. */
	readonly asked: readonly string[];
	/** Whether addresses that images are imported from answer with one. */
	reachable: boolean;
	/** A key that no other test uses. */
	newKey(): string;
	under(key: string): Caller;
	create(key: string, fields?: Fields, bytes?: BlobPart, name?: string): Promise<Response>;
	importUnder(key: string, path: string): Promise<Response>;
	/** The API with some parts of the world replaced, as one more process beside the service's own. */
	process(parts: Partial<Images>): Process;
	/** How many images there are. */
	stored(): Promise<number>;
	loseRows(): Promise<unknown>;
	close(): Promise<void>;
}

export async function openKeyedCreates(): Promise<KeyedCreates> {
	const file = await plain(6, 6);
	const origin = await startOrigin((_, response) =>
		world.reachable ? response.end(file) : response.writeHead(404).end(),
	);
	const service = await openService({ SVC_IMPORT_ALLOW: origin.host });
	const app = await addApp(service.database);
	await setPlan(service.database, app.id, "unlimited");
	let lastKey = 0;
	const under = (key: string): Caller => ({ key: app.key, headers: { "Idempotency-Key": key } });
	const world: KeyedCreates = {
		service,
		app,
		file,
		asked: origin.asked,
		reachable: true,
		newKey: () => `key ${++lastKey}`,
		under,
		create: (key, fields = {}, bytes = file, name = "a.png") => upload(service, bytes, name, fields, under(key)),
		importUnder: (key, path) => importImage(service, { url: origin.url(path) }, under(key)),
		process(parts) {
			const api = apiApp(changedRoom(service.rooms, "images", parts), service.version.api);
			return {
				upload: (key) => api.handle(uploadRequest(file, headersOf(service, under(key)))),
				importFrom: (key, path) => api.handle(importRequest(origin.url(path), headersOf(service, under(key)))),
			};
		},
		stored: () => countOf(service.database, sql`SELECT count(*) FROM images`),
		loseRows: () => service.database.write([{ run: sql`DELETE FROM idempotency` }]),
		async close() {
			origin.stop();
			await service.close();
		},
	};
	return world;
}

export function uploadRequest(file: BlobPart, headers: Fields): Request {
	return new Request("http://localhost:3000/v1/images", { method: "POST", body: form(file, "a.png"), headers });
}

function importRequest(url: string, headers: Fields): Request {
	const body = JSON.stringify({ url });
	return new Request("http://localhost:3000/v1/images", {
		method: "POST",
		body,
		headers: { ...headers, "Content-Type": "application/json" },
	});
}

interface Created {
	readonly status: number;
	readonly image: Image;
	/** The Idempotent-Replayed header. */
	readonly replayed: string | null;
}

/** An answer that must be a 201. */
export async function made(response: Response | Promise<Response>): Promise<Created> {
	const answer = await response;
	if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
	const replayed = answer.headers.get("Idempotent-Replayed");
	return { status: answer.status, image: (await answer.json()) as Image, replayed };
}

export async function refusal(response: Response | Promise<Response>): Promise<ErrorAnswer> {
	return errorOf(await response);
}

interface Turnstile {
	/** Resolves when somebody stands before it. */
	readonly reached: Promise<void>;
	open(): void;
	pass(): Promise<void>;
}

/** A step that is reached, and then waits. */
function turnstile(): Turnstile {
	const reached = Promise.withResolvers<void>();
	const opened = Promise.withResolvers<void>();
	return {
		reached: reached.promise,
		open: opened.resolve,
		async pass() {
			reached.resolve();
			await opened.promise;
		},
	};
}

/** The blob store, behind a turnstile that bytes wait at. */
export function slowBlobs({ images: { blobs } }: Pick<ApiRooms, "images">): Turnstile & Pick<Images, "blobs"> {
	const waits = turnstile();
	const put: typeof blobs.put = async (...given) => {
		await waits.pass();
		await blobs.put(...given);
	};
	return { ...waits, blobs: { ...blobs, put } };
}

/** Images that are never committed: who tries stands there for ever, as if its process had been killed. */
export function deadImages(
	{ images: { store } }: Pick<ApiRooms, "images">,
	onCommit: (blobKey: string) => void = () => undefined,
): Pick<Turnstile, "reached"> & Pick<Images, "store"> {
	const { reached, pass } = turnstile();
	const commitCreate: typeof store.commitCreate = async ({ blobKey }) => {
		onCommit(blobKey);
		await pass();
		return undefined;
	};
	return { reached, store: { ...store, commitCreate } };
}
