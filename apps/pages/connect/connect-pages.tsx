import type { ReactNode } from "react";
import { AppCard } from "../apps/app-card.tsx";
import { Icon, Name, PostForm, strong } from "../kit/parts.tsx";
import type { ShownApp } from "../kit/shown-app.ts";
import type { Text } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t as people } from "../people/messages.ts";
import { CodeForm, EmailForm, type MailWay } from "../people/sign-in-pages.tsx";
import { t } from "./messages.ts";

/* The pages that a person sees on the way from an App and back to it. */

interface ConnectProps {
	readonly serviceName: string;
	readonly appName: string;
	/** Who is behind it, as far as it says so. */
	readonly app: ShownApp | undefined;
	/** Host that the person came from and returns to. */
	readonly returnsTo: string;
	/** The App's callback, with the result that the person refused. */
	readonly cancel: string;
	readonly token: string;
	/** Whether pictures are shown to a service of the operator's own that judges them. */
	readonly isJudged?: boolean;
	readonly email: string;
	/** Where a link is asked for instead of a code; undefined unless wrong codes keep this device out. */
	readonly link: string | undefined;
	readonly fault?: Text | undefined;
	/** Whether its field has the focus when the page has loaded. Default: true. */
	readonly focus?: boolean;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

interface EmailPageProps extends ConnectProps {
	readonly action: string;
	/** Where a person who is signed in says that it is to be another address; undefined where one is typed anyway. */
	readonly otherAddress: string | undefined;
	/** The form by which people go on who are connected under this consent; undefined for all others. */
	readonly goOn: { readonly action: string; readonly token: string } | undefined;
}

export function emailPage(props: EmailPageProps): Page {
	const {
		serviceName,
		appName,
		app,
		returnsTo,
		cancel,
		otherAddress,
		goOn,
		status = 200,
		headers = {},
		...form
	} = props;
	const title = t("title", { app: appName });
	const fine = { host: <bdi>{returnsTo}</bdi>, a: (words: ReactNode) => <a href="/account">{words}</a> };
	if (goOn && otherAddress !== undefined) {
		const known = (
			<>
				<div className="card">
					<h1>{t("title", { app: <bdi>{appName}</bdi> })}</h1>
					<AppCard app={app} />
					<Known {...props} goOn={goOn} otherAddress={otherAddress} />
				</div>
				<p className="fine">{t("continue.fine", fine)}</p>
			</>
		);
		return show(title, known, { status, headers, app });
	}
	const body = (
		<>
			<div className="card">
				<h1>{t("title", { app: <bdi>{appName}</bdi> })}</h1>
				<AppCard app={app} />
				<p className="soft">{t("gives", { app: <Name>{appName}</Name>, service: serviceName })}</p>
				<ul className="gets">
					<li>
						<EnvelopeIcon />
						<span>{t("gives.email", { strong })}</span>
					</li>
					<li>
						<LockIcon />
						<span>{t("gives.storage", { strong })}</span>
					</li>
					{props.isJudged && (
						<li>
							<LockIcon />
							<span>{t("gives.judged", { strong, service: serviceName })}</span>
						</li>
					)}
				</ul>
				{otherAddress === undefined ? (
					<EmailForm {...form}>
						<Cancel href={cancel} />
					</EmailForm>
				) : (
					<SignedIn {...props} otherAddress={otherAddress} />
				)}
			</div>
			<p className="fine">{t("consent", { strong, ...fine })}</p>
		</>
	);
	return show(title, body, { status, headers, app });
}

interface KnownProps extends Pick<EmailPageProps, "appName" | "cancel" | "email"> {
	readonly goOn: NonNullable<EmailPageProps["goOn"]>;
	readonly otherAddress: string;
}

/** Who is connected already has consented: one button leads back to the App. */
function Known({ appName, cancel, email, goOn, otherAddress }: KnownProps) {
	return (
		<>
			<p className="soft">{t("continue.text", { app: <Name>{appName}</Name> })}</p>
			<PostForm {...goOn}>
				<div className="actions">
					<button className="primary" type="submit">
						<span>{t("continue", { email: <bdi>{email}</bdi> })}</span>
					</button>
					<Cancel href={cancel} />
				</div>
			</PostForm>
			<p className="small">
				<a href={otherAddress}>{t("signed_in.other")}</a>
			</p>
		</>
	);
}

/** Who is signed in has nothing to type: one button sends the code to the address that is known. */
function SignedIn({ appName, cancel, action, token, email, otherAddress }: EmailPageProps) {
	return (
		<>
			<p>{t("signed_in", { email: <Name>{email}</Name> })}</p>
			<p className="soft">{t("signed_in.why", { app: <Name>{appName}</Name> })}</p>
			<PostForm action={action} token={token} fields={{ email }}>
				<div className="actions">
					<button className="primary" type="submit">
						{people("email.send")}
					</button>
					<Cancel href={cancel} />
				</div>
			</PostForm>
			<p className="small">
				<a href={otherAddress}>{t("signed_in.other")}</a>
			</p>
		</>
	);
}

interface CodePageProps extends ConnectProps {
	readonly actions: { readonly verify: string; readonly resend: string };
	readonly restart: string;
	readonly mail: MailWay;
	readonly notice?: Text | undefined;
	readonly wait?: Text | undefined;
}

export function codePage(props: CodePageProps): Page {
	const { appName, app, returnsTo, cancel, status = 200, headers = {} } = props;
	const body = (
		<>
			<div className="card">
				<div className="stack">
					<h1>{t("code")}</h1>
					<p className="soft" id="connects">
						{t("code.text", { app: <Name>{appName}</Name> })}
					</p>
				</div>
				<AppCard app={app} />
				<CodeForm {...props} about="connects" submit={t("connect")}>
					<Cancel href={cancel} />
				</CodeForm>
			</div>
			<p className="fine">{t("code.caution", { app: <Name>{appName}</Name>, host: <bdi>{returnsTo}</bdi> })}</p>
		</>
	);
	return show(t("code.title", { app: appName }), body, { status, headers, app });
}

function Cancel({ href }: { readonly href: string }) {
	return (
		<a className="button quiet" href={href} rel="noreferrer">
			{t("cancel")}
		</a>
	);
}

function EnvelopeIcon() {
	return (
		<Icon>
			<rect x="3" y="5" width="18" height="14" rx="2.5" />
			<path d="m4 7.5 8 6 8-6" />
		</Icon>
	);
}

function LockIcon() {
	return (
		<Icon>
			<rect x="4" y="11" width="16" height="10" rx="2.5" />
			<path d="M8 11V7.5a4 4 0 0 1 8 0V11" />
		</Icon>
	);
}
