import { Failure } from "@svc/base/failure";
import { readCookie } from "@svc/base/http/cookies";
import { errorBody } from "@svc/base/http/envelope";
import { networkOf } from "@svc/base/http/network";
import { newId } from "@svc/base/ids";
import { actFor, PageVisitor } from "@svc/people/visitors";
import type { ReadDocument } from "../../kit/document/document.ts";
import { type KeptFile, keepFile, sendFile } from "../../kit/kept.ts";
import { statusOf } from "../../kit/refusals/failure.ts";
import type { ApiRooms } from "../../kit/rooms.ts";
import { missingHtml } from "../layout.ts";
import { REFERENCE_CSS, REFERENCE_PATH } from "../paths.ts";
import type { Shelf } from "../shelf.ts";
import css from "./reference.css" with { type: "text" };
import { answerHtml, type TriedAnswer } from "./reference-answer.ts";
import type { Place } from "./reference-bodies.ts";
import { bearerOf, callOf, isRevealed, readTry, type SentCall } from "./reference-call.ts";
import { BEARER_FIELD, type Filled } from "./reference-form.ts";
import { hasForm, type Listed, operationsOf } from "./reference-operations.ts";
import { referenceHtml } from "./reference-page.ts";

/* Serves the reference, and makes the calls of its forms. */

const HEADERS = {
	"Content-Security-Policy":
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
	// A form of a page that sends no Referer says that it comes from nowhere, as one of another site may.
	"Referrer-Policy": "same-origin",
};
const HTML = { ...HEADERS, "Content-Type": "text/html; charset=utf-8" };
const ONCE = { ...HTML, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" };
const DAY_MS = 86_400_000;
/** More of an answer is not shown. */
const SHOWN_MAX_BYTES = 1_000_000;

/** Opens what a link leads to, for browsers that do not so themselves. */
const SCRIPT = `function reveal() {
	const found = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	const around = found && found.closest("details.operation, details.object");
	if (!around || around.open) return;
	around.open = true;
	found.scrollIntoView();
}
addEventListener("hashchange", reveal);
reveal();
`;

export interface ReferenceSources {
	readonly readDocument: ReadDocument;
	readonly openShelf: () => Promise<Shelf>;
}

export class ReferenceDesk {
	readonly #rooms: ApiRooms;
	readonly #sources: ReferenceSources;
	readonly #files = new Map<string, Promise<KeptFile>>();
	#kept: { readonly dayMs: number; readonly file: Promise<KeptFile> } | undefined;

	constructor(rooms: ApiRooms, sources: ReferenceSources) {
		this.#rooms = rooms;
		this.#sources = sources;
	}

	/** The page is made once a day: what some forms are filled in with must be close to it. */
	async page(request: Request): Promise<Response> {
		const { dayMs } = this.#place();
		if (this.#kept?.dayMs !== dayMs) this.#kept = { dayMs, file: this.#make() };
		return sendFile(request, await this.#kept.file);
	}

	async #make(): Promise<KeptFile> {
		const [shelf, document] = await Promise.all([this.#sources.openShelf(), this.#sources.readDocument()]);
		return await keepFile(referenceHtml(await shelf.frame(), document, this.#place()), HTML);
	}

	/** The sheet or the script of the page. */
	async file(request: Request, path: string): Promise<Response> {
		const kept = this.#files.get(path) ?? fileAt(path);
		this.#files.set(path, kept);
		return sendFile(request, await kept);
	}

	/** The address of a form, opened again later, leads to its call. */
	async way(id: string): Promise<Response> {
		const one = await this.#find(id);
		if (!one) return await this.#missing();
		return new Response(null, { status: 308, headers: { Location: `${REFERENCE_PATH}#${one.id}` } });
	}

	/** Makes the call of a form that was sent, and shows what it is answered. */
	async answer(request: Request, id: string): Promise<Response> {
		const one = await this.#find(id);
		if (!one || !hasForm(one)) return await this.#missing();
		const network = networkOf(this.#rooms.addressOf(request));
		let sent: SentCall | undefined;
		let answered: TriedAnswer;
		let status = 200;
		try {
			this.#rooms.limits.refusals.ask(network);
			refuseElsewhere(request, this.#rooms);
			sent = await readTry(this.#rooms, request, one);
			answered = await this.#call(request, one, sent);
		} catch (cause) {
			if (!(cause instanceof Failure)) throw cause;
			// Those of the call itself are counted by the call.
			if (cause.code !== "rate_limited") this.#rooms.limits.refusals.take(network);
			answered = refused(cause);
			({ status } = answered);
		} finally {
			await sent?.file?.staged.discard();
		}
		return await this.#show(one, answered, { sent, status });
	}

	async #show(
		one: Listed,
		answered: TriedAnswer,
		{ sent, status }: { readonly sent: SentCall | undefined; readonly status: number },
	): Promise<Response> {
		const frame = await (await this.#sources.openShelf()).frame();
		const place = this.#place();
		const reveals = sent !== undefined && isRevealed(sent);
		const shown = { frame, place, one, answered, isRevealed: reveals, filled: filledOf(one, sent) };
		return new Response(answerHtml(shown), { status, headers: ONCE });
	}

	/** As who the pasted key or token says; a GET without one as who is signed in in this browser. */
	async #call(request: Request, one: Listed, sent: SentCall): Promise<TriedAnswer> {
		const bearer = bearerOf(sent);
		const call = await callOf(one, sent, this.#place(), bearer);
		const session =
			one.method === "GET" && isOwn(request, this.#rooms) && readCookie(request, this.#rooms.addresses.web, "session");
		if (bearer === undefined && session) actFor(call, new PageVisitor(session, newId("req")));
		return await this.#ask(request, one, call);
	}

	async #ask(from: Request, { operation }: Listed, call: Request): Promise<TriedAnswer> {
		const answered = await readAnswer(await this.#rooms.ask(call, from));
		return operation.servers ? { ...answered, address: call.url } : answered;
	}

	async #find(id: string): Promise<Listed | undefined> {
		return operationsOf(await this.#sources.readDocument()).find((one) => one.id === id);
	}

	async #missing(): Promise<Response> {
		const shelf = await this.#sources.openShelf();
		return new Response(missingHtml(await shelf.frame()), { status: 404, headers: ONCE });
	}

	#place(): Place {
		const { addresses, clock } = this.#rooms;
		const knowsVisitors = addresses.web === addresses.base;
		return {
			base: addresses.base,
			cdn: addresses.cdn,
			knowsVisitors,
			dayMs: Math.floor(clock.now() / DAY_MS) * DAY_MS,
		};
	}
}

function fileAt(path: string): Promise<KeptFile> {
	const [type, content] = path === REFERENCE_CSS ? ["css", css] : ["javascript", SCRIPT];
	return keepFile(content, { ...HEADERS, "Content-Type": `text/${type}; charset=utf-8` });
}

/** Whether a browser says that a page of ours sent this. */
function isOwn({ headers, url }: Request, { addresses: { base } }: ApiRooms): boolean {
	const origin = headers.get("origin");
	const scheme = base.slice(0, base.indexOf("://"));
	// On loopback the service answers under all of its names. An unknown Host does not get this far.
	if (origin === base || origin === `${scheme}://${new URL(url).host}`) return true;
	return (origin === null || origin === "null") && headers.get("sec-fetch-site") === "same-origin";
}

/** A page of another site may not have its visitors make calls, not even with a key of its own. @throws Failure forbidden */
function refuseElsewhere(request: Request, rooms: ApiRooms): void {
	const { headers } = request;
	const isSaid = headers.get("origin") !== null || !["none", null].includes(headers.get("sec-fetch-site"));
	if (isSaid && !isOwn(request, rooms)) throw Failure.saying("forbidden", "This form was sent from another site.");
}

function refused(failure: Failure): TriedAnswer {
	const text = JSON.stringify(errorBody(failure));
	return {
		status: statusOf(failure),
		headers: new Headers({ "Content-Type": "application/json" }),
		text,
		bytes: text.length,
		isCut: false,
	};
}

/** What of a form stands in the next one: never a secret, nor a body that may hold one. */
function filledOf({ parameters }: Listed, sent: SentCall | undefined): Filled {
	const names = parameters.map(({ name }) => name).filter((name) => name !== "token" && name !== BEARER_FIELD);
	return new Map(names.map((name) => [name, sent?.fields.get(name) ?? ""]));
}

/** Reads no more than is shown. */
async function readAnswer({ status, headers, body }: Response): Promise<TriedAnswer> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	let isCut = false;
	for await (const chunk of body ?? new Blob().stream()) {
		const left = SHOWN_MAX_BYTES - bytes;
		chunks.push(chunk.subarray(0, left));
		bytes += Math.min(chunk.length, left);
		// Leaving the loop ends the source.
		isCut = chunk.length > left;
		if (isCut) break;
	}
	const isText = /^(text\/|application\/json)/.test(headers.get("content-type") ?? "text/");
	return { status, headers, text: isText ? Buffer.concat(chunks).toString("utf8") : undefined, bytes, isCut };
}
