import { FAILURE_CODES, Failure } from "@svc/base/failure";
import type { NamedDocument } from "../../kit/document/api-document.ts";
import { statusOf } from "../../kit/refusals/failure.ts";
import { FIXES } from "../../kit/refusals/fixes.ts";
import { articleHtml, documentHtml, type PageFrame } from "../layout.ts";
import { renderArticle } from "../markdown.ts";
import { ERRORS_PATH, REFERENCE_CSS, REFERENCE_JS, REFERENCE_PATH } from "../paths.ts";
import type { Place } from "./reference-bodies.ts";
import { codeTabs, jsonHtml } from "./reference-code.ts";
import { bodyHtml, parametersHtml, sentenceHtml, shapeHtml, textHtml } from "./reference-fields.ts";
import { formHtml } from "./reference-form.ts";
import { answerOf, credentialOf, hasForm, type Listed, operationsOf } from "./reference-operations.ts";

/* The API document as a page: every operation, what it takes and answers, in code, and a form to try it. */

/** The sheet is the reference's alone, and HTML takes links to one among the text. */
export const LINKS = `<link rel="stylesheet" href="${REFERENCE_CSS}"><script src="${REFERENCE_JS}" defer></script>`;

export function referenceHtml(frame: PageFrame, document: NamedDocument, place: Place): string {
	const operations = operationsOf(document);
	const nouns = document.tags ?? [];
	const guide = renderArticle(document.info.description.split("<details>")[0] ?? "", (href) => href);
	const parts = nouns.map(({ name, description }) => {
		const own = operations.filter(({ noun }) => noun === name).map((one) => operationHtml(document, one, place));
		return `<section><h2 id="${nounId(name)}">${textHtml(name)}</h2>\n<p>${sentenceHtml(description)}</p>\n${own.join("\n")}</section>`;
	});
	const contents = [
		...guide.headings.filter(({ level }) => level === 2),
		...nouns.map(({ name }) => ({ id: nounId(name), text: name })),
		...[
			{ id: "all-errors", text: "Errors and what to do" },
			{ id: "objects", text: "Objects" },
		],
	];
	const body = [guide.html, ...parts, errorsHtml(), objectsHtml(document)].join("\n");
	const heading = `<h1>API reference</h1>`;
	const main = `${LINKS}${articleHtml({ heading, contents, body: `<div class="reference">${body}</div>` })}`;
	return documentHtml(frame, {
		title: "API reference",
		main,
		current: REFERENCE_PATH,
		foot: `<a href="/openapi.json">OpenAPI document</a> `,
	});
}

function nounId(noun: string): string {
	return `noun-${noun.replaceAll(" ", "-")}`;
}

const WHO = {
	key: "An App's key, or a session or token of its team with `X-Svc-App`.",
	token: "A person's session or token.",
	none: "Anybody: it takes no key.",
} as const;

/** A link to the operation leads inside, so that a browser opens what is around it, without a script as well. */
function operationHtml(document: NamedDocument, one: Listed, place: Place): string {
	const { id, method, path, operation } = one;
	const { summary = "", description } = operation;
	return `<details class="operation"><summary><h3><b class="method ${method.toLowerCase()}">${method}</b> <code>${breakable(path)}</code></h3> <span>${textHtml(summary)}</span></summary>
<div id="${id}">
${description ? `<p>${sentenceHtml(description)}</p>` : ""}
<p class="who"><a href="#${id}"><code>${id}</code></a> ${sentenceHtml(WHO[credentialOf(one)])}</p>
${parametersHtml(document, one)}${bodyHtml(document, one)}
<h4>Code</h4>${codeTabs(one, place)}
${answerHtml(document, one)}${refusalsHtml(document, one)}
${hasForm(one) ? formHtml(one, place, 4) : `<p class="formless">${formless(one)}</p>`}
</div></details>`;
}

function formless({ id }: Listed): string {
	return id === "receiveProcessorEvent"
		? "There is no form for it: the payment processor signs what it sends."
		: "There is no form for it: it costs money or cannot be undone.";
}

function breakable(path: string): string {
	return textHtml(path).replaceAll("/", "/<wbr>");
}

function answerHtml(document: NamedDocument, one: Listed): string {
	const answer = answerOf(document, one);
	if (!answer) return "";
	return `<h4>Answer: ${answer.status}, <a href="#object-${answer.name}">${answer.name}</a></h4>${jsonHtml(answer.value)}`;
}

/** Its statuses lead to what to do about each error. */
function refusalsHtml(document: NamedDocument, { operation }: Listed): string {
	const responses = document.components.responses ?? {};
	const rows = Object.entries(operation.responses).flatMap(([status, response]) => {
		const name = "$ref" in response ? (response.$ref.split("/").at(-1) ?? "") : "";
		const codes = (responses[name] as { readonly description?: string } | undefined)?.description?.replaceAll("`", "");
		return codes === undefined ? [] : [`<a href="#error-${status}">${status}</a> ${codes}`];
	});
	if (rows.length === 0) return "";
	return `<h4>Errors</h4><ul class="errors"><li>${rows.join("<li>")}</ul>`;
}

/** Each error with what to do about it, by status. */
function errorsHtml(): string {
	const failures = FAILURE_CODES.flatMap((code) =>
		[...new Set([false, true].map((timedOut) => statusOf(new Failure(code, undefined, { timedOut }))))].map(
			(status) => ({ status, failure: new Failure(code) }),
		),
	);
	const groups = [...Map.groupBy(failures, ({ status }) => status)].sort(([a], [b]) => a - b);
	const parts = groups.map(([status, rows]) => {
		const items = rows.map(
			({ failure: { code, message } }) =>
				`<dt><a href="${ERRORS_PATH}#${code}"><code>${code}</code></a> ${textHtml(message)}<dd>${sentenceHtml(FIXES[code])}`,
		);
		return `<h3 id="error-${status}">${status}</h3><dl>${items.join("\n")}</dl>`;
	});
	return `<section><h2 id="all-errors">Errors and what to do</h2>\n${parts.join("\n")}</section>`;
}

function objectsHtml(document: NamedDocument): string {
	const shapes = Object.entries(document.components.schemas).map(
		([name, schema]) =>
			`<details class="object"><summary><h3>${name}</h3></summary><div id="object-${name}">${shapeHtml(document, schema)}</div></details>`,
	);
	return `<section><h2 id="objects">Objects</h2>\n${shapes.join("\n")}</section>`;
}
