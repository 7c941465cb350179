import { LOCALES, type Locale } from "@svc/base/enumerations";
import { cutLine, shortLine } from "@svc/base/text";
import type { MailContent, RenderedMail } from "../mail.ts";
import { escapeHtml, type Letter, type Part, type Sender, webAddress } from "./letter.ts";
import { letterOf } from "./templates.ts";

/** Mail programs cut longer subjects anyway. */
const SUBJECT_MAX = 150;

/** A mail in all its forms. Pure: the same facts make the same mail, at every try. */
export function render(content: MailContent, sender: Sender, locale: Locale = LOCALES[0]): RenderedMail {
	const letter = letterOf(content, sender, locale);
	const subject = cutLine(letter.subject, SUBJECT_MAX);
	return { subject, text: textBody(letter, sender), html: htmlBody({ ...letter, subject }, sender, locale) };
}

/*
 * No colours of text or page are set, and borders and areas are half transparent: the text in a mail program's dark mode then stays
 * readable, whether or not it understands `color-scheme`. Styles stand inline, since many programs drop all others.
 */

/** The preview that a list of mails shows after the subject: the first sentence, not the name that the sender has anyway. */
const PREVIEW = "display:none;max-height:0;overflow:hidden";
const PAGE = "margin:0;padding:0;color-scheme:light dark";
const SHEET =
	"max-width:34rem;margin:0 auto;padding:32px 20px;font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;overflow-wrap:anywhere";
const SERVICE = "margin:0 0 28px;font-size:14px;font-weight:600;letter-spacing:.01em";
const HEADING = "margin:0 0 16px;font-size:24px;line-height:1.25;font-weight:700";
const TEXT = "margin:0 0 16px";
const NOTE =
	"margin:24px 0 0;padding:16px 0 0;border-top:1px solid rgba(128,128,128,.4);font-size:14px;line-height:1.5";
// One tap or double click selects the whole code; the space between its digits is not copied along.
const CODE =
	"margin:0 0 16px;padding:18px 12px;border:1px solid rgba(128,128,128,.45);border-radius:10px;background-color:rgba(128,128,128,.12);font:700 34px/1.2 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;letter-spacing:.18em;text-indent:.18em;text-align:center;-webkit-user-select:all;user-select:all";
const BUTTON =
	"display:inline-block;padding:12px 20px;border-radius:8px;background-color:#12664f;color:#ffffff;font-weight:600;text-decoration:none";
const ADDRESS = "margin:0 0 16px;font-size:13px;line-height:1.5;word-break:break-all";
const SIGNATURE = "margin:28px 0 0;font-size:13px";

/** A whole document without scripts, pictures or anything else that would be fetched. */
function htmlBody({ subject, heading, parts }: Letter, { serviceName, webUrl }: Sender, locale: Locale): string {
	const service = escapeHtml(shortLine(serviceName, 80));
	const address = webAddress(webUrl);
	const home = address ? anchor(address, "color:inherit", webUrl) : escapeHtml(webUrl);
	return `<!doctype html>
<html lang="${locale}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escapeHtml(subject)}</title>
</head>
<body style="${PAGE}">
<div style="${PREVIEW}">${escapeHtml(previewOf(parts))}</div>
<div role="article" lang="${locale}" dir="ltr" style="${SHEET}">
<p style="${SERVICE}">${service}</p>
<h1 style="${HEADING}">${escapeHtml(heading)}</h1>
${parts.map(element).join("\n")}
<p style="${SIGNATURE}">${service} · ${home}</p>
</div>
</body>
</html>
`;
}

function previewOf(parts: readonly Part[]): string {
	return parts.find((part) => part.kind === "text")?.text ?? "";
}

function element(part: Part): string {
	switch (part.kind) {
		case "text":
			return `<p style="${TEXT}">${escapeHtml(part.text)}</p>`;
		case "note":
			return `<p style="${NOTE}">${escapeHtml(part.text)}</p>`;
		case "code":
			return `<p style="${CODE}">${escapeHtml(part.code)}</p>`;
		case "link":
			return linkElement(part.label, part.address);
	}
}

/** An invalid or hidden address is shown without a link. */
function linkElement(label: string, sent: string): string {
	const address = webAddress(sent);
	if (!address) return `<p style="${ADDRESS}">${escapeHtml(`${label}: ${shortLine(sent, 200)}`)}</p>`;
	return `<p style="${TEXT}">${anchor(address, BUTTON, label)}</p>
<p style="${ADDRESS}">${escapeHtml(address)}</p>`;
}

function anchor(address: string, style: string, label: string): string {
	return `<a href="${escapeHtml(address)}" style="${style}">${escapeHtml(label)}</a>`;
}

/** The text for programs that show no HTML, and for people who prefer it. A code or an address has a separate line. */
function textBody({ heading, parts }: Letter, { serviceName, webUrl }: Sender): string {
	const signature = `-- \n${shortLine(serviceName, 80)}\n${webUrl}\n`;
	return [heading, ...parts.map(paragraph), signature].join("\n\n");
}

function paragraph(part: Part): string {
	switch (part.kind) {
		case "text":
		case "note":
			return part.text;
		case "code":
			return part.code;
		case "link":
			return `${part.label}:\n${webAddress(part.address) ?? shortLine(part.address, 200)}`;
	}
}
