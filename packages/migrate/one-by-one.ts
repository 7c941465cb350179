import { createHash } from "node:crypto";
import { EXIT, LocalError } from "@svc/base/processes/exit";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Image } from "@svc/sdk/shapes";
import { wait } from "@svc/sdk/wire/retry";
import { fitted } from "./fitting.ts";
import { bodyOf, cameAs, failed, type Move, type MoveOutcome, type Ready } from "./move.ts";
import { patiently } from "./patience.ts";
import type { Download, Pairs } from "./sources/source.ts";
import { isTaken, judgeTaken } from "./there-already.ts";

/* Pictures that the service cannot fetch, because only a secret opens their address: they come through here, as streams. */

/** What no deployment takes. */
const MAX_BYTES = 100_000_000;
/** One less than there may be: the address has a place in it. */
const UPLOAD_METADATA_MAX = 49;
const TRIES = 3;
const PAUSE_MS = 1_000;
/** Less than the service waits for the next bytes. */
const SILENCE_MS = 30_000;

class BrokenOff extends LocalError {}

/** @throws what the whole collection would meet as well */
export async function bringOne(move: Move, picture: Ready): Promise<MoveOutcome> {
	const sent: Sent = { sha256: undefined };
	try {
		const image = await (picture.download ? throughHere(move, picture, sent) : byAddress(move, picture));
		return cameAs(picture, "came", image, move);
	} catch (error) {
		if (isTaken(error)) return await judgeTaken(move, picture, error, sent.sha256);
		if (error instanceof ApiError && error.code === "idempotency_recovery_conflict")
			return failed(picture, deletedSince());
		if (error instanceof ApiError || error instanceof LocalError) return failed(picture, error);
		throw error;
	}
}

/** It came within a day: who took it away wants it so. */
function deletedSince(): LocalError {
	return new LocalError("It came before and was deleted since.", "Change its line to bring it again.");
}

async function byAddress(move: Move, picture: Ready): Promise<Image> {
	const { client, context } = move;
	const { signal } = context.process;
	const body = { url: picture.address, ...bodyOf(picture, move) };
	const options = { body, idempotencyKey: picture.createKey, signal };
	return await patiently(move, () => client.request<Image>("POST", "/v1/images", options));
}

/** What went out of the last try, if all of it did. */
interface Sent {
	sha256: string | undefined;
}

async function throughHere(move: Move, picture: Ready, sent: Sent): Promise<Image> {
	const { signal } = move.context.process;
	return await patiently(move, () => again(signal, () => upload(move, picture, sent)));
}

/** A connection to the other place that breaks is opened again. */
async function again<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await work();
		} catch (error) {
			if (!(error instanceof BrokenOff) || tries >= TRIES) throw error;
			await wait(PAUSE_MS * tries, signal);
		}
	}
}

async function upload(move: Move, picture: Ready, sent: Sent): Promise<Image> {
	const { client, context } = move;
	const { signal } = context.process;
	const first = await download(picture, signal);
	const { metadata = {} } = first;
	let opened: Download | undefined = first;
	const open = async () => {
		const { stream } = opened ?? (await download(picture, signal));
		opened = undefined;
		return guarded(stream, sent);
	};
	try {
		return await client.images.upload(open, options(move, picture, { bytes: first.bytes, metadata }));
	} finally {
		opened?.stream.cancel().catch(() => undefined);
	}
}

async function download({ download: open }: Ready, signal: AbortSignal): Promise<Download> {
	if (!open) throw new LocalError("Nothing says how to fetch it.");
	const found = await open(signal);
	if ((found.bytes ?? 0) <= MAX_BYTES) return found;
	found.stream.cancel().catch(() => undefined);
	throw new LocalError(`${found.bytes} bytes are more than the service takes.`, "Make it smaller.");
}

/** What breaks in it is the other place's fault, not the service's. */
async function* guarded(stream: ReadableStream<Uint8Array>, sent: Sent): AsyncGenerator<Uint8Array, void, undefined> {
	const reader = stream.getReader();
	const digest = createHash("sha256");
	sent.sha256 = undefined;
	try {
		for (let part = await next(reader); part !== undefined; part = await next(reader)) {
			digest.update(part);
			yield part;
		}
		sent.sha256 = digest.digest("hex");
	} finally {
		reader.cancel().catch(() => undefined);
	}
}

async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | undefined> {
	let timer: ReturnType<typeof setTimeout> | undefined;
	const silence = new Promise<never>((_, reject) => {
		timer = setTimeout(() => reject(new Error("nothing came")), SILENCE_MS);
	});
	try {
		return (await Promise.race([reader.read(), silence])).value;
	} catch {
		throw new BrokenOff("The other place broke off while it sent it.", "Run the same command again.", EXIT.later);
	} finally {
		clearTimeout(timer);
	}
}

function options(
	{ context, hasImports }: Move,
	{ fields, filename, createKey, externalId, address }: Ready,
	{ bytes, metadata }: { readonly bytes: number | undefined; readonly metadata: Pairs },
): Parameters<Client["images"]["upload"]>[1] {
	const { date, caption, ttl, visibility, labels } = fields;
	// The same place in the metadata as for what the service fetches itself.
	const said = fitted({ labels: {}, metadata: { ...metadata, ...fields.metadata } }, UPLOAD_METADATA_MAX).fields
		.metadata;
	return {
		...{ caption, ttl, publishedAt: date, labels, metadata: { ...said, source_url: address }, filename },
		...(visibility !== undefined && { public: visibility === "public" }),
		...(hasImports && { externalId }),
		...{ idempotencyKey: createKey, totalBytes: bytes, signal: context.process.signal },
	};
}
