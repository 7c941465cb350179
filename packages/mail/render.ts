import { cutLine } from "@svc/base/text";
import { htmlBody } from "./html-body.ts";
import type { Sender } from "./letter.ts";
import type { MailContent, RenderedMail } from "./mail.ts";
import { letterOf } from "./templates.ts";
import { textBody } from "./text-body.ts";

/** Longer ones are cut by mail programs anyway. */
const SUBJECT_MAX = 150;

/** A mail in all its forms. Pure: the same facts make the same mail, at every try. */
export function render(content: MailContent, sender: Sender): RenderedMail {
	const letter = letterOf(content, sender);
	const subject = cutLine(letter.subject, SUBJECT_MAX);
	return { subject, text: textBody(letter, sender), html: htmlBody({ ...letter, subject }, sender) };
}
