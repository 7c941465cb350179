import type { Client } from "@svc/sdk/client";
import type { Image } from "@svc/sdk/shapes";
import { imageUrl } from "@svc/sdk/transform";
import { wait } from "@svc/sdk/wire/retry";
import type { Context } from "../../kit/command.ts";
import { planAll } from "../../kit/planning.ts";
import { type Check, failed, failedWith, passed, skipped } from "./checks.ts";
import { type ProbeAnswer, probe } from "./probe.ts";

// A PNG of one grey pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==";
const FORMATS = ["jpg", "png", "webp", "avif"] as const;
const POLL_MS = 250;
const POLLS = 40;
/** Should deleting it fail, the image expires by itself. */
const TTL = "5m";
const CDN_REMEDY = "Check that SVC_CDN_URL is the address at which the outside reaches the transform host.";

type Attempt = () => Promise<string>;

/** Reads and transforms the newest image; where there is none, or where it is asked for, one that is uploaded for that and deleted. */
export async function checkPicture(context: Context, client: Client, uploads: boolean): Promise<readonly Check[]> {
	const { signal } = context.process;
	// An upload counts as one of the month, whatever becomes of the image.
	const found = uploads ? undefined : await client.images.list({ limit: 10, signal }).catch(() => undefined);
	const image = found?.data.find(({ status }) => status === "ready");
	if (image === undefined) return await checkRoundTrip(context, client);
	const unused = skipped(
		"upload",
		"there are pictures to look at; --upload tries it, which counts as one of the month",
	);
	const seen = [await checkRead(context, image), await checkTransforms(context, image)];
	return [unused, ...seen, skipped("delete", "nothing was uploaded")];
}

/** Uploads a tiny image, reads it, transforms it and deletes it. */
async function checkRoundTrip(context: Context, client: Client): Promise<readonly Check[]> {
	const { signal } = context.process;
	let image: Image | undefined;
	const file = new Blob([bytesOf(PNG)], { type: "image/png" });
	const send = () => client.images.upload(file, { filename: "svc-doctor.png", ttl: TTL, signal });
	await planAll(context, [send, () => client.images.delete("{id}")]);
	const upload = await attempt(
		"upload",
		async () => {
			image = await send();
			image = await untilReady(client, image, signal);
			return image.id;
		},
		context,
	);
	if (image === undefined)
		return [upload, ...["read", "transform", "delete"].map((name) => skipped(name, "there is no picture"))];
	const made: Image = image;
	try {
		const seen = upload.state === "ok" ? [await checkRead(context, made), await checkTransforms(context, made)] : [];
		return [upload, ...seen, await checkDelete(context, client, made)];
	} catch (error) {
		// After Ctrl-C too, an image that was made for a check is not left behind.
		await client.images.delete(made.id).catch(() => undefined);
		throw error;
	}
}

/** The App's own delivery policy: nothing is wrong with the service. */
class NotAnswered extends Error {}

async function attempt(name: string, work: Attempt, context: Context, remedy?: string): Promise<Check> {
	try {
		return passed(name, await work());
	} catch (error) {
		context.process.signal.throwIfAborted();
		if (error instanceof NotAnswered) return skipped(name, error.message);
		return failedWith(name, error, remedy);
	}
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Some interfaces answer before the image is ready. */
async function untilReady(client: Client, image: Image, signal: AbortSignal): Promise<Image> {
	let current = image;
	for (let polls = 0; current.status === "processing" && polls < POLLS; polls++) {
		await wait(POLL_MS, signal);
		current = await client.images.get(image.id, { signal });
	}
	if (current.status !== "ready") throw new Error(`the picture is ${current.status}`);
	return current;
}

function checkRead(context: Context, image: Image): Promise<Check> {
	const read = async () =>
		`${(await readPicture(context, image.url)).body.length} bytes from ${new URL(image.url).origin}`;
	return attempt("read", read, context, CDN_REMEDY);
}

async function readPicture({ process, globals }: Context, url: string): Promise<ProbeAnswer> {
	const answer = await probe(process, url, globals.leftMs?.());
	const type = answer.headers.get("content-type") ?? "no type";
	if (answer.status === 200 && type.startsWith("image/") && answer.body.length > 0) return answer;
	if (isForbidden(answer)) throw new NotAnswered("the delivery policy of this App does not let it be asked for");
	throw new Error(`${new URL(url).origin} answered ${answer.status} (${type})`);
}

function isForbidden({ status, body }: ProbeAnswer): boolean {
	return status === 403 && new TextDecoder().decode(body).includes('"code":"forbidden"');
}

async function checkTransforms(context: Context, image: Image): Promise<Check> {
	const read = (format: (typeof FORMATS)[number]) => async () => {
		const { body } = await readPicture(context, imageUrl(image, { w: 1, format }));
		return `${body.length} bytes`;
	};
	const tried = await Promise.all(FORMATS.map((format) => attempt(format, read(format), context)));
	const broken = tried.filter(({ state }) => state === "failed");
	const untried = tried.find(({ state }) => state === "skipped");
	if (broken.length === 0 && untried) return skipped("transform", untried.detail);
	if (broken.length === 0) return passed("transform", FORMATS.join(", "));
	const detail = broken.map(({ name, detail }) => `${name}: ${detail}`).join("; ");
	return failed("transform", detail, "Look into the service's log: its image library may be missing or out of memory.");
}

async function checkDelete(context: Context, client: Client, image: Image): Promise<Check> {
	return await attempt(
		"delete",
		async () => {
			await client.images.delete(image.id);
			const { status } = await probe(context.process, image.url, context.globals.leftMs?.());
			if (status < 400)
				throw new Error(`the deleted picture still answers ${status}: something in between keeps copies`);
			return `gone, and its address answers ${status}`;
		},
		context,
	);
}
