import { isTestAddress } from "@svc/base/email";
import { contentOf, MAIL_TEMPLATES, type MailFilter, type MailState, type OutboxMail } from "@svc/mail/mail";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query } from "../kit/route.ts";

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
		test: about(v.boolean(), "It is to a test person, and is not sent."),
		attempts: v.number(),
		failure: v.nullable(v.string()),
		sent_at: v.nullable(dateTime),
		created_at: dateTime,
	}),
	"Codes are in `text` and `html` only where mail stays inside the service.",
);

export function emails(app: Elysia, rooms: ApiRooms): void {
	const guard = operatorRoute(rooms, "operator:read");
	list(app, rooms, "/v1/operator/emails", (run) => guard(async (call) => uncompressed(await run(call))), {
		operationId: "listEmails",
		summary: "Mails, newest first; codes and links are shown only where all parts are the embedded ones",
		tags: ["operator"],
		filters: [query("recipient"), query("template", schemaOf(template)), query("state", schemaOf(state))],
		of: emailSchema,
		find: ({ filters, beforePk, limit }) => rooms.mail.store.list(toFilter(filters), { beforePk, limit }),
		encode: (mail) => encode(rooms, mail),
	});
}

/** Codes stand beside names that strangers chose; the size of a compressed answer would tell of them. */
function uncompressed(answer: Answer): Answer {
	return { ...answer, headers: { ...answer.headers, "Cache-Control": "no-store, no-transform" } };
}

function toFilter({ recipient, template, state }: Readonly<Record<string, string>>): MailFilter {
	const known = readWord("template", template, MAIL_TEMPLATES);
	const wanted = readWord("state", state, STATES);
	return {
		...(recipient !== undefined && { recipient }),
		...(known && { template: known }),
		...(wanted && { state: wanted }),
	};
}

function encode(rooms: Pick<ApiRooms, "mail" | "testPeople">, mail: OutboxMail): v.InferOutput<typeof emailSchema> {
	const { id, template, recipient, state, attempts, failure, sentMs, createdMs } = mail;
	const { subject, text, html } = rooms.mail.render(contentOf(mail, rooms.mail.secrets), mail.locale);
	return {
		id,
		object: "email",
		template,
		recipient,
		subject,
		text,
		html,
		state,
		test: isTestAddress(rooms, recipient),
		attempts,
		failure,
		sent_at: isoDate(sentMs),
		created_at: isoDate(createdMs),
	};
}
