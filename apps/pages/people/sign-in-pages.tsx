import type { ReactNode } from "react";
import { Alert, EMAIL_INPUT, Field, Notice, PostForm } from "../kit/parts.tsx";
import { type Text, usePlain } from "../kit/text.ts";
import { t } from "./messages.ts";

/* The two steps of every sign-in: an address, and the code that was mailed to it. */

interface FocusProps {
	/** Whether its field has the focus when the page has loaded. Default: true. */
	readonly focus?: boolean | undefined;
}

interface EmailFormProps extends FocusProps {
	readonly action: string;
	readonly token: string;
	readonly email: string;
	readonly fault?: Text | undefined;
	/** Where a link is asked for instead of a code; undefined unless wrong codes keep this device out. */
	readonly link?: string | undefined;
	/** Whether the browser offers passkeys in the field, beside the addresses that it knows. */
	readonly passkeys?: boolean;
	/** Shown beside the button. */
	readonly children?: ReactNode;
}

export function EmailForm({ link, ...form }: EmailFormProps) {
	return (
		<>
			{link !== undefined && <LinkOffer {...form} action={link} />}
			<AddressForm {...form} />
		</>
	);
}

/** A way in for a person whom strangers keep out by typing wrong codes. */
function LinkOffer({ action, token, email }: Pick<EmailFormProps, "action" | "token" | "email">) {
	return (
		<PostForm action={action} token={token} fields={{ email }}>
			<Notice answers>{t("link.offer", { email: <bdi>{email}</bdi> })}</Notice>
			<button className="primary" type="submit">
				{t("link.send")}
			</button>
		</PostForm>
	);
}

function AddressForm(props: Omit<EmailFormProps, "link">) {
	const { action, token, email, fault, focus = true, passkeys = false, children } = props;
	return (
		<PostForm action={action} token={token}>
			<Field
				name="email"
				label={t("email")}
				hint={t("email.hint")}
				fault={fault}
				input={{
					...EMAIL_INPUT,
					...(passkeys && { autoComplete: "username webauthn" }),
					required: true,
					autoFocus: focus,
					defaultValue: email,
				}}
			/>
			<div className="actions">
				<button className="primary" type="submit">
					{t("email.send")}
				</button>
				{children}
			</div>
		</PostForm>
	);
}

/**
 * What becomes of the mail with the code: `slow` where mail does not go out as it should, `kept` where none goes out, in test mode, and `readable` where
 * besides whoever looks is an operator, who reads it in the console.
 */
export type MailWay = "sent" | "slow" | "kept" | "readable";

/** Where developers read what a service in test mode would have sent. */
const SHOWS_MAIL = "./svc operator emails --limit 1 --json";

function LateMail({ mail }: { readonly mail: MailWay }) {
	return <p className="fine">{mailWords(mail)}</p>;
}

function mailWords(mail: MailWay): Text {
	if (mail === "kept") return t("code.kept", { command: <code>{SHOWS_MAIL}</code> });
	if (mail !== "readable") return t("code.late");
	// Beside this page, which waits for the code.
	const link = (words: ReactNode) => (
		<a href="/console/operator/mails" target="_blank" rel="noopener">
			{words}
		</a>
	);
	return t("code.shown", { a: link });
}

interface CodeFormProps extends FocusProps {
	/** The targets of the forms: where the code goes, and the request for a new one. */
	readonly actions: { readonly verify: string; readonly resend: string };
	/** The link back to the first step, or to where one would be without this. */
	readonly restart: string | { readonly href: string; readonly label: Text };
	readonly token: string;
	readonly email: string;
	/** As on the first form. */
	readonly link?: EmailFormProps["link"];
	readonly submit: Text;
	readonly fault?: Text | undefined;
	readonly notice?: Text | undefined;
	readonly mail: MailWay;
	/** Why there is no new code yet; nothing is wrong with the one that was sent. */
	readonly wait?: Text | undefined;
	/** Id of the text that says what typing the code does. */
	readonly about?: string;
	/** Shown beside the button. */
	readonly children?: ReactNode;
}

export function CodeForm(props: CodeFormProps) {
	const { actions, token, email, link, submit, fault, notice, mail, wait, about, focus = true, children } = props;
	const restart =
		typeof props.restart === "string" ? { href: props.restart, label: t("code.other_address") } : props.restart;
	const say = usePlain();
	return (
		<>
			{notice && <Notice id="said">{notice}</Notice>}
			{wait && <Alert id="said">{wait}</Alert>}
			{link !== undefined && <LinkOffer action={link} token={token} email={email} />}
			<PostForm action={actions.verify} token={token}>
				<Field
					name="code"
					label={t("code")}
					hint={t(mail === "slow" ? "code.hint.slow" : "code.hint", { email: <bdi>{email}</bdi> })}
					fault={fault}
					about={[...(notice || wait ? ["said"] : []), ...(about ? [about] : [])]}
					input={{
						className: "code",
						type: "text",
						autoComplete: "one-time-code",
						inputMode: "numeric",
						// Accepts a code as mail programs copy it: with a space in the middle or around it.
						pattern: "\\s*[0-9]{3}[\\s\\-]?[0-9]{3}\\s*",
						title: say(t("code.shape")),
						maxLength: 20,
						required: true,
						autoFocus: focus,
					}}
				/>
				<div className="actions">
					<button className="primary" type="submit">
						{submit}
					</button>
					{children}
				</div>
			</PostForm>
			<hr className="rule" />
			<div className="others">
				<PostForm action={actions.resend} token={token}>
					<button className="plain" type="submit">
						{t("code.new")}
					</button>
				</PostForm>
				<a href={restart.href}>{restart.label}</a>
			</div>
			<LateMail mail={mail} />
		</>
	);
}
