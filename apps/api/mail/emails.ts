import { invalid } from "@svc/base/failure";
import { contentOf, MAIL_STATES, MAIL_TEMPLATES, type Mail, type MailFilter } from "@svc/mail/mail";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";

const emailSchema = v.object({
	id: v.string(),
	object: v.literal("email"),
	template: v.picklist(MAIL_TEMPLATES),
	recipient: v.string(),
	subject: v.string(),
	text: v.string(),
	html: v.string(),
	state: v.picklist(MAIL_STATES),
	attempts: v.number(),
	failure: v.nullable(v.string()),
	sent_at: v.nullable(v.string()),
	created_at: v.string(),
});

export function emails(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/operator/emails",
		operatorRoute(deps, { scope: "operator:read" }, (call) =>
			listPage(deps, call, {
				filters: ["recipient", "template", "state"],
				find: ({ filters, beforePk, limit }) => deps.mails.list(toFilter(filters), { beforePk, limit }),
				encode: (mail) => encode(deps, mail),
			}),
		),
		{
			detail: {
				operationId: "listEmails",
				summary: "Mails, newest first; codes and links are shown only where all parts are the embedded ones",
				tags: ["operator"],
				parameters: [
					{ name: "recipient", in: "query", schema: { type: "string" } },
					{ name: "template", in: "query", schema: { type: "string", enum: [...MAIL_TEMPLATES] } },
					{ name: "state", in: "query", schema: { type: "string", enum: [...MAIL_STATES] } },
				],
				...answers(200, listSchema(emailSchema)),
			},
		},
	);
}

function toFilter({ recipient, template, state }: Readonly<Record<string, string>>): MailFilter {
	return {
		...(recipient !== undefined && { recipient }),
		...(template !== undefined && { template: oneOf("template", template, MAIL_TEMPLATES) }),
		...(state !== undefined && { state: oneOf("state", state, MAIL_STATES) }),
	};
}

function oneOf<T extends string>(field: string, sent: string, known: readonly T[]): T {
	const value = known.find((one) => one === sent);
	if (value === undefined) throw invalid(field, `must be one of ${known.join(", ")}`);
	return value;
}

function encode(deps: Pick<ApiDeps, "renderMail" | "mailSecrets">, mail: Mail): v.InferOutput<typeof emailSchema> {
	const { id, template, recipient, state, attempts, failure, sentMs, createdMs } = mail;
	const { subject, text, html } = deps.renderMail(contentOf(mail, deps.mailSecrets));
	return {
		id,
		object: "email",
		template,
		recipient,
		subject,
		text,
		html,
		state,
		attempts,
		failure,
		sent_at: sentMs === null ? null : new Date(sentMs).toISOString(),
		created_at: new Date(createdMs).toISOString(),
	};
}
