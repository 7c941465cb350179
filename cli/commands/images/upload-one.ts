import { createHash } from "node:crypto";
import type { Client } from "@svc/sdk/client";
import { ApiError } from "@svc/sdk/failure";
import type { Image } from "@svc/sdk/shapes";
import type { Answer } from "@svc/sdk/wire/request";
import type { Context } from "../../kit/command.ts";
import type { Transfer } from "../../kit/work/transfers.ts";
import type { CreateFields } from "./create-fields.ts";
import type { Content, Source } from "./sources.ts";

/** How often an image may have been uploaded and deleted again within a day. */
const MAX_GENERATIONS = 10;

interface Upload {
	readonly client: Client;
	readonly fields: CreateFields;
	readonly context: Context;
	readonly transfer: Transfer;
}

/**
 * The same file with the same options always has the same key, so that a repeated command doubles nothing. A new generation is
 * for a file that was uploaded, deleted, and is wanted again.
 */
export function uploadKey(
	sha256: string,
	filename: string,
	fields: CreateFields,
	user: string | undefined,
	generation: number,
): string {
	const { caption, ttl, publishedAt, labels, metadata, externalId, public: visible } = fields;
	const parts = [sha256, filename, caption, ttl, publishedAt, sorted(labels), sorted(metadata), user, generation];
	// Without these the key is what it was before there were the options.
	const added = [...(visible === undefined ? [] : [visible]), ...(externalId === undefined ? [] : [{ externalId }])];
	const text = JSON.stringify([...parts, ...added].map((part) => part ?? null));
	return `svc-cli-${createHash("sha256").update(text).digest("hex").slice(0, 40)}`;
}

function sorted(map: Readonly<Record<string, string>> | undefined): readonly (readonly [string, string])[] {
	return Object.entries(map ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** Moves on to the next generation as long as the service says that what the key made is gone. */
export async function uploadOne(source: Source, task: Upload): Promise<Image> {
	const content = await source.read();
	for (let generation = 0; ; generation++) {
		try {
			return await send(source, content, generation, task);
		} catch (error) {
			const isGone = error instanceof ApiError && error.code === "idempotency_recovery_conflict";
			if (!isGone || generation + 1 >= MAX_GENERATIONS) throw error;
		}
	}
}

async function send(source: Source, content: Content, generation: number, task: Upload): Promise<Image> {
	const { client, fields, context } = task;
	const { moved } = task.transfer;
	let replayed = false;
	const image = await client.images.upload(new Blob([content.bytes]), {
		...fields,
		filename: source.filename,
		idempotencyKey: uploadKey(content.sha256, source.filename, fields, context.globals.user, generation),
		signal: context.process.signal,
		...(moved && { onProgress: ({ sentBytes }) => moved(sentBytes) }),
		onAnswer: ({ headers }: Answer) => {
			replayed = headers.get("idempotent-replayed") === "true";
		},
	});
	if (replayed) await context.out.note(`${source.file}: was uploaded before, as ${image.id}`);
	return image;
}
