import { EXIT, type ExitCode, LocalError } from "@svc/base/processes/exit";
import { shortLine } from "@svc/base/text";
import type { Fetch } from "@svc/sdk/wire/request";
import { startDeadline, wait } from "@svc/sdk/wire/retry";
import type { Download } from "./source.ts";

/* Calls to other places. What they answer is anybody's text: little of it is shown, and no key that may be in it. */

/** Another place, and how to ask it. */
export interface SourcePlace {
	/** As people call it. */
	readonly title: string;
	/** Where its keys are read from, for people. */
	readonly keys: string;
	/** What must be in no message. */
	readonly secrets: readonly string[];
	readonly fetch: Fetch;
	/** For people, while nothing seems to happen. */
	readonly tell: (text: string) => void;
}

interface Question {
	/** Without anything secret in it where it may be shown. */
	readonly url: string;
	readonly method?: "GET" | "POST";
	readonly headers: Readonly<Record<string, string>>;
	readonly body?: string;
	/** Whether it may be answered from elsewhere: nothing secret is in the headers then. */
	readonly mayMove?: boolean;
}

const ANSWER_MS = 60_000;
/** For a fault of the moment. */
const TRIES = 5;
/** For a limit, of which not all say how long it holds: ten minutes. */
const LIMITED_TRIES = 15;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS = 60_000;
/** Of a pause that people are told of. */
const TOLD_MS = 5_000;
/** An hour, in which the limits of all of them begin anew. */
const LONGEST_PAUSE_MS = 3_600_000;
const PAGE_MAX_BYTES = 64_000_000;
const ERROR_MAX_BYTES = 16_384;
const TOLD_MAX = 200;

/** Made anew for each try: signatures hold for minutes. */
export type Ask = () => Question | Promise<Question>;

/** One page of a list. @throws LocalError */
export async function textFrom(place: SourcePlace, ask: Ask, signal: AbortSignal): Promise<string> {
	return await persistently(place, ask, signal, async (response, extend) => {
		const text = await textOf(response, PAGE_MAX_BYTES, extend);
		if (text === undefined) throw new LocalError(`${place.title} answers with a list that is too long to be one.`);
		return text;
	});
}

/** A picture. @throws LocalError */
export async function fileFrom(
	place: SourcePlace,
	ask: Ask,
	signal: AbortSignal,
): Promise<Download & { readonly headers: Headers }> {
	return await persistently(place, ask, signal, async (response) => {
		const length = response.headers.get("content-length");
		const isPlain = response.headers.get("content-encoding") === null;
		const bytes = length !== null && isPlain && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
		return { stream: response.body ?? new Blob().stream(), bytes, headers: response.headers };
	});
}

/** What lies at an address that needs no key but what is in it. @throws LocalError */
export async function fileAt(
	{ fetch, tell }: Pick<SourcePlace, "fetch" | "tell">,
	url: string,
	signal: AbortSignal,
): Promise<Download> {
	// Some runtimes open files of this machine as well.
	if (!/^https?:/i.test(url)) throw new LocalError("This is no address of the web.");
	const place = { title: "The address", keys: "whether it still opens the picture", secrets: [url], fetch, tell };
	return await fileFrom(place, () => ({ url, headers: {}, mayMove: true }), signal);
}

/** An answer that is not what the other place documents. */
export function unlike({ title }: SourcePlace): LocalError {
	return new LocalError(`${title} answers with something that is no list of pictures.`, "Check its address.");
}

type Receive<T> = (response: Response, extend: () => void) => Promise<T>;

async function persistently<T>(place: SourcePlace, ask: Ask, signal: AbortSignal, receive: Receive<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		const tried = await attempt(place, await ask(), signal, receive);
		if ("value" in tried) return tried.value;
		if (tries >= (tried.isLimit ? LIMITED_TRIES : TRIES) || tried.pauseMs > LONGEST_PAUSE_MS) throw tried.error;
		const pauseMs = Math.max(tried.pauseMs, Math.min(PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1)));
		if (pauseMs >= TOLD_MS) place.tell(`${tried.error.message} It is asked again in ${Math.ceil(pauseMs / 1_000)} s.`);
		await wait(pauseMs, signal);
	}
}

type Tried<T> =
	| { readonly value: T }
	| { readonly error: LocalError; readonly pauseMs: number; readonly isLimit: boolean };

async function attempt<T>(
	place: SourcePlace,
	question: Question,
	signal: AbortSignal,
	receive: Receive<T>,
): Promise<Tried<T>> {
	const deadline = startDeadline(ANSWER_MS, signal);
	try {
		const response = await answerTo(place, question, deadline.signal);
		if (response.ok) return { value: await receive(response, deadline.extend) };
		const error = await refusalOf(place, response, deadline.extend);
		if (!mayPass(response.status)) throw error;
		return { error, pauseMs: askedMs(response.headers), isLimit: response.status < 500 };
	} catch (error) {
		signal.throwIfAborted();
		if (error instanceof LocalError) throw error;
		const why = deadline.isOver() ? "in time" : "(the connection failed)";
		const away = new LocalError(`${place.title} does not answer ${why}.`, "Run the same command again.", EXIT.later);
		return { error: away, pauseMs: 0, isLimit: false };
	} finally {
		deadline.end();
	}
}

/** A redirect is not followed with a key, which it would carry elsewhere; without one, it is followed once, and over TLS alone. */
async function answerTo({ fetch }: SourcePlace, question: Question, signal: AbortSignal): Promise<Response> {
	const { url, method = "GET", headers, body, mayMove = false } = question;
	const init = { method, headers, redirect: "manual" as const, signal, ...(body !== undefined && { body }) };
	const response = await fetch(url, init);
	const location = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
	if (!mayMove || location === null || !URL.canParse(location, url)) return response;
	const next = new URL(location, url);
	if (next.protocol !== "https:" && next.origin !== new URL(url).origin) return response;
	response.body?.cancel().catch(() => undefined);
	return await fetch(next.href, { method, redirect: "manual", signal });
}

function mayPass(status: number): boolean {
	// Cloudinary says 420 where others say 429.
	return status === 429 || status === 420 || (status >= 500 && status !== 501);
}

/** Seconds or a date. */
function askedMs(headers: Headers): number {
	// The second one is Cloudinary's, whose limits are of an hour.
	const asked = headers.get("retry-after") ?? headers.get("x-featureratelimit-reset") ?? "";
	if (/^\d{1,9}$/.test(asked)) return Number(asked) * 1_000;
	const at = Date.parse(asked);
	return Number.isNaN(at) ? 0 : Math.max(0, at - Date.now());
}

const BY_STATUS: Readonly<Record<number, readonly [says: string, exit: ExitCode]>> = {
	401: ["does not accept the key", EXIT.auth],
	403: ["refuses it", EXIT.auth],
	404: ["does not know it", EXIT.missing],
	420: ["wants to be asked more slowly", EXIT.later],
	429: ["wants to be asked more slowly", EXIT.later],
};

/** A bucket is in another region than the one that it was looked for in. */
const ELSEWHERE = /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException)$/;

async function refusalOf(place: SourcePlace, response: Response, extend: () => void): Promise<LocalError> {
	const body = (await textOf(response, ERROR_MAX_BYTES, extend).catch(() => undefined)) ?? "";
	const status = statusIn(body) ?? response.status;
	const [says, exit] = BY_STATUS[status] ?? [
		status >= 500 ? "has a fault" : "refuses it",
		status >= 500 ? EXIT.later : EXIT.failed,
	];
	const told = toldIn(body);
	const reason = told === undefined ? "" : `: ${shortLine(masked(told, place.secrets), TOLD_MAX)}`;
	const isKey = exit === EXIT.auth || ELSEWHERE.test(told ?? "");
	const next = isKey ? `Check ${place.keys}.` : exit === EXIT.later ? "Run the same command again later." : undefined;
	return new LocalError(`${place.title} ${says} (${status})${reason}`, next, exit);
}

/** Supabase says 400, and what it means in the body. */
function statusIn(body: string): number | undefined {
	const [, status] = /"statusCode":"?(40[134])\b/.exec(body) ?? [];
	return status === undefined ? undefined : Number(status);
}

/** What a refusal says in the forms that are in use: a code in XML, a message in JSON. */
function toldIn(body: string): string | undefined {
	const [, code] = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(body) ?? [];
	if (code !== undefined) return code;
	try {
		const { error, message, errors, detail } = JSON.parse(body) ?? {};
		const first = Array.isArray(errors) ? errors[0]?.message : undefined;
		return [error?.message, message, first, detail, error].find((text) => typeof text === "string" && text !== "");
	} catch {
		return undefined;
	}
}

function masked(text: string, secrets: readonly string[]): string {
	return secrets.reduce((shown, secret) => (secret === "" ? shown : shown.replaceAll(secret, "…")), text);
}

/** Undefined for a body that is longer. */
async function textOf(response: Response, most: number, extend: () => void): Promise<string | undefined> {
	const text = new TextDecoder();
	const parts: string[] = [];
	let bytes = 0;
	for await (const part of response.body ?? []) {
		extend();
		bytes += part.length;
		if (bytes > most) return undefined;
		parts.push(text.decode(part, { stream: true }));
	}
	return parts.join("") + text.decode();
}
