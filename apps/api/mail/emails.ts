import { invalid } from "@svc/base/failure";
import { contentOf, MAIL_TEMPLATES, type Mail, type MailFilter, type MailState } from "@svc/mail/mail";
import { dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { schemaOf } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const STATES: readonly MailState[] = ["queued", "sent", "failed"];

const template = oneOf("EmailTemplate", MAIL_TEMPLATES);
const state = oneOf("EmailState", STATES);

const emailSchema = named(
	"Email",
	v.object({
		id: v.string(),
		object: v.literal("email"),
		template,
		recipient: v.string(),
		subject: v.string(),
		text: v.string(),
		html: v.string(),
		state,
		attempts: v.number(),
		failure: v.nullable(v.string()),
		sent_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
	"Codes are in `text` and `html` only where mail stays inside the service.",
);

export function emails(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/operator/emails", operatorRoute(rooms, { scope: "operator:read" }), {
		operationId: "listEmails",
		summary: "Mails, newest first; codes and links are shown only where all parts are the embedded ones",
		tags: ["operator"],
		parameters: [
			{ name: "recipient", in: "query", schema: { type: "string" } },
			{ name: "template", in: "query", schema: schemaOf(template) },
			{ name: "state", in: "query", schema: schemaOf(state) },
		],
		answers: { 200: listSchema(emailSchema) },
		run: (call) =>
			listPage(rooms, call, {
				filters: ["recipient", "template", "state"],
				find: ({ filters, beforePk, limit }) => rooms.mail.store.list(toFilter(filters), { beforePk, limit }),
				encode: (mail) => encode(rooms, mail),
			}),
	});
}

function toFilter({ recipient, template, state }: Readonly<Record<string, string>>): MailFilter {
	return {
		...(recipient !== undefined && { recipient }),
		...(template !== undefined && { template: known("template", template, MAIL_TEMPLATES) }),
		...(state !== undefined && { state: known("state", state, STATES) }),
	};
}

function known<T extends string>(field: string, sent: string, known: readonly T[]): T {
	const value = known.find((one) => one === sent);
	if (value === undefined) throw invalid(field, `must be one of ${known.join(", ")}`);
	return value;
}

function encode(rooms: Pick<ApiRooms, "mail" | "mail">, mail: Mail): v.InferOutput<typeof emailSchema> {
	const { id, template, recipient, state, attempts, failure, sentMs, createdMs } = mail;
	const { subject, text, html } = rooms.mail.render(contentOf(mail, rooms.mail.secrets));
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
