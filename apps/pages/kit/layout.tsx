import type { Addresses } from "@svc/base/addresses";
import { LOCALES, type Locale } from "@svc/base/enumerations";
import { LANGUAGE_NAMES } from "@svc/base/words/languages";
import { renderToStaticMarkup } from "react-dom/server";
import { consoleScripts, consoleSheet, icon, passkeyScript, stylesheet } from "./assets.ts";
import { t } from "./messages.ts";
import { Alert, Mark } from "./parts.tsx";
import { initialsOf, type ShownApp } from "./shown-app.ts";
import { InLanguage, plain } from "./text.ts";
import { type Page, PageRefusal, show } from "./visit.ts";

/*
 * Nothing loads but our own sheet and icon, and nothing runs, but our own scripts where there are passkeys and in the console. There is no form-action: browsers apply it to the whole chain of redirects
 * after a form, and ours end at an App's callback. With `no-referrer` a browser would send `Origin: null` with our own forms.
 */
const HEADERS = {
	"Content-Type": "text/html; charset=utf-8",
	"Content-Security-Policy": contentPolicy(),
	"Cache-Control": "no-store",
	"Referrer-Policy": "same-origin",
	"X-Content-Type-Options": "nosniff",
	"X-Frame-Options": "DENY",
	"Cross-Origin-Opener-Policy": "same-origin",
} as const;

/** `pictures` is another origin that the page may load pictures from. */
export function contentPolicy(pictures?: string): string {
	const shown = pictures === undefined ? "'self'" : `'self' ${pictures}`;
	return `default-src 'none'; style-src 'self'; img-src ${shown}; frame-ancestors 'none'; base-uri 'none'`;
}

export interface Site {
	/** The service's own name. */
	readonly name: string;
	readonly addresses: Addresses;
}

/** A whole page. */
export function render(site: Site, page: Page, preferred: Locale): Response {
	const locale = page.language ?? preferred;
	const whole = (
		<InLanguage locale={locale}>
			<Document {...site} page={page} locale={locale} />
		</InLanguage>
	);
	const html = `<!doctype html>\n${renderToStaticMarkup(whole)}\n`;
	const language = { "Content-Language": locale, Vary: "Accept-Language, Cookie" };
	// Compressed, the size of a page would tell how much of a secret on it somebody guessed who chose another part of it.
	const secrecy = html.includes(SECRET_CLASS) ? { "Cache-Control": "no-store, no-transform" } : {};
	// The picture of an App comes from another origin, which no other page may load from.
	const policy = page.app?.logo ? { [POLICY]: contentPolicy(new URL(page.app.logo).origin) } : {};
	const working = page.console && {
		[POLICY]: `${contentPolicy(page.console.pictures)}; form-action 'self'; frame-src 'self'`,
	};
	const headers = { ...HEADERS, ...policy, ...working, ...language, ...secrecy, ...page.headers };
	const isScripted = page.passkeys || page.console;
	return new Response(html, { status: page.status, headers: isScripted ? withScript(headers) : headers });
}

/** Of what is shown once; the token of a form is masked. */
const SECRET_CLASS = 'class="secret"';
const POLICY = "Content-Security-Policy";

/** Our own scripts run, and ask our own pages. */
function withScript(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
	return { ...headers, [POLICY]: `${headers[POLICY]}; script-src 'self'; connect-src 'self'` };
}

function Document({ name, page, locale }: Site & { readonly page: Page; readonly locale: Locale }) {
	const title = plain(page.title, locale);
	return (
		<html lang={locale}>
			<head>
				<meta charSet="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content="light dark" />
				<title>{title === name ? name : `${title} · ${name}`}</title>
				<link rel="stylesheet" href={(page.console ? consoleSheet : stylesheet).path} />
				{page.app?.sheet && <link rel="stylesheet" href={page.app.sheet} />}
				<link rel="icon" href={icon.path} type="image/svg+xml" />
				{page.passkeys && <script src={passkeyScript.path} defer />}
				{page.console?.scripts.map((name) => (
					<script key={name} src={consoleScripts[name].path} type="module" />
				))}
				{page.head}
			</head>
			<body className={page.console ? "console" : page.wide ? "wide" : undefined}>
				<a className="skip" href="#main">
					{t("skip")}
				</a>
				<header className="top">
					{page.app ? (
						<AppBrand {...page.app} />
					) : (
						<a className="brand" href="/">
							<Mark />
							<span>{name}</span>
						</a>
					)}
					{page.console?.top}
				</header>
				{page.console?.bar}
				<main id="main">{page.body}</main>
				{page.console && <p className="unseen" role="status" id="said" />}
				<footer className="foot">
					{page.app && <a href="/">{t("foot.with", { service: name })}</a>}
					<a href="/account">{t("foot.account")}</a>
					{page.console?.foot}
					<Languages locale={locale} />
				</footer>
			</body>
		</html>
	);
}

/** In pixels. */
const LOGO_SHOWN = 40;

/** Leads nowhere: what an App chose is no page of ours. Should its picture not load after all, nothing stands in its place. */
function AppBrand({ name, logo }: ShownApp) {
	return (
		<span className="brand">
			{logo === null ? (
				<span className="initials" aria-hidden="true">
					{initialsOf(name)}
				</span>
			) : (
				<img src={logo} width={LOGO_SHOWN} height={LOGO_SHOWN} alt="" />
			)}
			<bdi>{name}</bdi>
		</span>
	);
}

/** The switch to another language. Each button is in its own, so that whoever reads no other finds it. */
function Languages({ locale }: { readonly locale: Locale }) {
	const label = plain(t("foot.language"), locale);
	return (
		<form className="languages" method="post" action="/language" aria-label={label}>
			{LOCALES.map((one) => (
				<button
					key={one}
					className="plain"
					type="submit"
					name="locale"
					value={one}
					lang={one}
					aria-current={one === locale ? "true" : undefined}
				>
					{LANGUAGE_NAMES[one]}
				</button>
			))}
		</form>
	);
}

/** The page of a refusal. */
export function refusalPage({ status, title, text, facts }: PageRefusal): Page {
	const { again, faultCode, detail, headers = {} } = facts;
	const body = (
		<div className="card">
			<h1>{title}</h1>
			<Alert faultCode={faultCode}>{text}</Alert>
			{detail && <p className="fine">{detail}</p>}
			{again && (
				<p>
					<a className="button primary" href={again.href}>
						{again.label}
					</a>
				</p>
			)}
		</div>
	);
	return show(title, body, { status, headers });
}

export function missing(): PageRefusal {
	return new PageRefusal(404, t("missing.title"), t("missing.text"), {
		again: { href: "/", label: t("to_start") },
	});
}
