import { FAILURE_CODES, type FailureCode } from "@svc/base/failure";
import { FIXES } from "../../kit/refusals/fixes.ts";
import { codeHtml } from "../code.ts";
import { articleHtml, documentHtml, type PageFrame } from "../layout.ts";
import { ERRORS_PATH, REFERENCE_PATH } from "../paths.ts";
import type { Place } from "./reference-bodies.ts";
import { sentenceHtml, textHtml } from "./reference-fields.ts";
import { type Filled, formHtml } from "./reference-form.ts";
import { masked } from "./reference-masks.ts";
import type { Listed } from "./reference-operations.ts";
import { LINKS } from "./reference-page.ts";

/* The page that shows what a call was answered. */

export interface TriedAnswer {
	readonly status: number;
	readonly headers: Headers;
	/** Undefined for what is no text. */
	readonly text: string | undefined;
	/** Of the whole body, as far as it was read. */
	readonly bytes: number;
	readonly isCut: boolean;
	/** Where the answer is what everybody may open: its address. */
	readonly address?: string | undefined;
}

interface Shown {
	readonly frame: PageFrame;
	readonly place: Place;
	readonly one: Listed;
	readonly answered: TriedAnswer;
	readonly isRevealed: boolean;
	/** What the form begins with when the call is to be made again. */
	readonly filled: Filled;
}

const HEADERS = ["Content-Type", "X-Request-Id", "Retry-After", "Idempotent-Replayed"];

export function answerHtml({ frame, place, one, answered, isRevealed, filled }: Shown): string {
	const { value, count } = contentOf(answered, isRevealed);
	const headers = HEADERS.flatMap((name) => {
		const sent = answered.headers.get(name);
		return sent === null ? [] : [`<li><code>${name}</code> ${textHtml(sent)}</li>`];
	});
	const secrets =
		count === 0
			? ""
			: `<p class="masked">${count === 1 ? "A secret is" : `${count} secrets are`} masked. To see them, tick “Show secrets in the answer” and send the call again.</p>`;
	const { address } = answered;
	const link =
		address === undefined ? "" : `<p><a href="${textHtml(address).replaceAll('"', "&#34;")}">Open it</a></p>`;
	const body = `<div class="reference"><section class="answer" data-status="${answered.status}" tabindex="-1" autofocus>
<p class="status" role="status">${answered.status}: ${answered.status < 400 ? "the call succeeded" : "the call was refused"}</p>
${fixHtml(answered)}${secrets}${link}
${value}
<h2>Headers</h2><ul class="errors">${headers.join("")}</ul>
</section>
<p><a href="${REFERENCE_PATH}#${one.id}">Back to ${one.id} in the reference</a></p>
${formHtml(one, place, 2, filled)}</div>`;
	const heading = `<h1>${one.method} ${textHtml(one.path)}</h1>`;
	const main = `${LINKS}${articleHtml({ heading, body })}`;
	return documentHtml(frame, { title: one.id, main, current: REFERENCE_PATH });
}

function contentOf(answered: TriedAnswer, isRevealed: boolean): { readonly value: string; readonly count: number } {
	const { text, bytes, isCut, headers } = answered;
	const size = `${bytes.toLocaleString("en")} bytes`;
	// A part of an object cannot be read, and so not be masked.
	if (isCut) return { value: `<p>The answer is longer than ${size}: this page does not show it.</p>`, count: 0 };
	if (text === undefined)
		return { value: `<p>${textHtml(headers.get("content-type") ?? "No text")}, ${size}</p>`, count: 0 };
	if (text === "") return { value: "<p>There is no body.</p>", count: 0 };
	const parsed = parse(text);
	const { value, count } = masked(parsed ?? text);
	const shown = isRevealed ? (parsed ?? text) : value;
	const whole = typeof shown === "string" ? shown : JSON.stringify(shown, undefined, 2);
	const language = parsed === undefined ? "text" : "json";
	return { value: codeHtml({ text: whole, language }), count: isRevealed ? 0 : count };
}

function parse(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return typeof value === "object" && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}

/** What to do about a refusal. */
function fixHtml({ status, text = "" }: TriedAnswer): string {
	if (status < 400) return "";
	const { error } = (parse(text) ?? {}) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } };
	const code = FAILURE_CODES.find((known) => known === error?.code);
	if (code === undefined) return "";
	return `<p>${textHtml(String(error?.message))}</p><p>${sentenceHtml(FIXES[code as FailureCode])} <a href="${ERRORS_PATH}#${code}">${code}</a></p>`;
}
