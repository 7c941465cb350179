import { ConnectionError, readApiError } from "../failure.ts";
import type { Image } from "../shapes.ts";
import { checkArguments } from "../wire/check.ts";
import type { Fetch } from "../wire/request.ts";
import { type Deadline, isTransient, startDeadline, wait, waitBeforeRetry } from "../wire/retry.ts";
import { UPLOAD_WITH_TICKET } from "../wire/takes.ts";
import { toBlob, type UploadProgress, unthrowing } from "./upload.ts";

export interface TicketUploadOptions {
	/** Hears how much of the file has left this machine, in each try from the beginning; without XMLHttpRequest at the start and the end alone. What it throws fails no upload, and of an empty file it hears nothing. */
	readonly onProgress?: ((progress: UploadProgress) => void) | undefined;
	readonly signal?: AbortSignal | undefined;
	/** Default: the name of a File, else `image`. */
	readonly filename?: string | undefined;
	/** How often the same bytes are sent again after a connection that was cut, or an answer that asks to wait. Default: 5. */
	readonly retries?: number | undefined;
	/** Milliseconds without any movement after which a try counts as cut. Default: 60,000. */
	readonly timeoutMs?: number | undefined;
	/** Used in place of XMLHttpRequest and the global fetch: to log, to proxy or to test. */
	readonly fetch?: Fetch | undefined;
}

const DEFAULT_RETRIES = 5;
const DEFAULT_TIMEOUT_MS = 60_000;
/** A connection whose speed nobody sees gets the time that a slow line needs. */
const SLOW_LINE_BYTES_PER_MS = 20;

interface Sent {
	readonly url: string;
	readonly file: Blob;
	readonly form: FormData;
	readonly options: TicketUploadOptions;
}

/**
 * Uploads a file with the address of an upload ticket, from a browser, a worker or any other runtime: without a key. However often the same
 * bytes are sent, the ticket makes one image, so that a try whose connection is cut is repeated.
 * @param url `url` of an upload ticket
 * @throws TypeError for an option that is missing, unknown or of a wrong kind, ApiError when the service refused, ConnectionError when no answer came, the signal's reason when it was aborted
 */
export async function uploadWithTicket(
	url: string,
	file: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>,
	options: TicketUploadOptions = {},
): Promise<Image> {
	checkArguments("uploadWithTicket", UPLOAD_WITH_TICKET, [url, file, options]);
	const whole = await toBlob(file);
	const form = new FormData();
	form.append("file", whole, options.filename ?? nameOf(file));
	const sent = {
		url: new URL(url).href,
		file: whole,
		form,
		options: { ...options, onProgress: unthrowing(options.onProgress) },
	};
	const usesFetch = options.fetch !== undefined || typeof XMLHttpRequest === "undefined";
	return (await repeated(() => (usesFetch ? sendByFetch(sent) : sendByXhr(sent)), options)) as Image;
}

async function repeated(send: () => Promise<unknown>, options: TicketUploadOptions): Promise<unknown> {
	const { signal, retries = DEFAULT_RETRIES } = options;
	for (let tries = 0; ; tries++) {
		signal?.throwIfAborted();
		try {
			return await send();
		} catch (error) {
			const waitMs = tries < retries && isTransient(error) ? waitBeforeRetry(error, tries, Math.random()) : undefined;
			if (waitMs === undefined) throw error;
			await wait(waitMs, signal);
		}
	}
}

function nameOf(file: unknown): string {
	return file instanceof Blob && "name" in file && typeof file.name === "string" ? file.name : "image";
}

/** Only this tells a page how much of a body has gone out. */
async function sendByXhr(sent: Sent): Promise<unknown> {
	const { file, options } = sent;
	const { signal, onProgress, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
	const deadline = startDeadline(timeoutMs, signal);
	onProgress?.({ sentBytes: 0, totalBytes: file.size });
	try {
		const body = await answerOf(await exchange(sent, deadline));
		onProgress?.({ sentBytes: file.size, totalBytes: file.size });
		return body;
	} catch (error) {
		if (deadline.isOver()) throw new ConnectionError("timeout", `nothing moved for ${timeoutMs} ms.`);
		signal?.throwIfAborted();
		throw error;
	} finally {
		deadline.end();
	}
}

/** Ends with the answer, whatever it is. */
function exchange({ url, file, form, options }: Sent, deadline: Deadline): Promise<XMLHttpRequest> {
	return new Promise((resolve, reject) => {
		const xhr = new XMLHttpRequest();
		const cut = () => reject(new ConnectionError("network", `${new URL(url).origin}.`));
		xhr.upload.onprogress = ({ loaded, total }) => {
			deadline.extend();
			// What is counted is the whole body, whose frame is no part of the file.
			const sentBytes = total > 0 ? Math.round((file.size * loaded) / total) : 0;
			options.onProgress?.({ sentBytes: Math.min(file.size, sentBytes), totalBytes: file.size });
		};
		xhr.onload = () => resolve(xhr);
		xhr.onerror = cut;
		xhr.onabort = cut;
		deadline.signal.addEventListener("abort", () => xhr.abort(), { once: true });
		xhr.open("POST", url);
		xhr.setRequestHeader("Accept", "application/json");
		xhr.send(form);
	});
}

/** @throws ApiError for a refusal, ConnectionError for what the service did not say */
async function answerOf(xhr: XMLHttpRequest): Promise<unknown> {
	const headers = new Headers();
	for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
		const colon = line.indexOf(":");
		if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
	}
	return await readAnswer(new Response(xhr.responseText, { status: xhr.status, headers }));
}

async function sendByFetch({ url, file, form, options }: Sent): Promise<unknown> {
	const { signal, onProgress, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
	const limitMs = Math.ceil(timeoutMs + file.size / SLOW_LINE_BYTES_PER_MS);
	const deadline = startDeadline(limitMs, signal);
	onProgress?.({ sentBytes: 0, totalBytes: file.size });
	try {
		const headers = { Accept: "application/json" };
		const init: RequestInit = { method: "POST", body: form, headers, redirect: "error", signal: deadline.signal };
		const response = await (options.fetch ?? fetch)(url, init);
		const body = await readAnswer(response);
		onProgress?.({ sentBytes: file.size, totalBytes: file.size });
		return body;
	} catch (error) {
		if (deadline.isOver()) throw new ConnectionError("timeout", `${limitMs} ms.`, { cause: error });
		signal?.throwIfAborted();
		if (!(error instanceof TypeError)) throw error;
		throw new ConnectionError("network", `${new URL(url).origin}: ${error.message}`, { cause: error });
	} finally {
		deadline.end();
	}
}

async function readAnswer(response: Response): Promise<unknown> {
	const text = await response.text();
	let body: unknown = text;
	try {
		body = JSON.parse(text);
	} catch {
		// Whatever stands between may answer with a page of its own.
	}
	if (!response.ok) throw readApiError(response, body, Date.now());
	if (typeof body === "object" && body !== null) return body;
	throw new ConnectionError("malformed", `HTTP ${response.status} without a JSON object.`);
}
