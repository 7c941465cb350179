import { AppCard } from "../../apps/app-card.tsx";
import { Name } from "../../kit/parts.tsx";
import type { ShownApp } from "../../kit/shown-app.ts";
import type { Message, Text } from "../../kit/text.ts";
import { type Page, show } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { PasskeyForm } from "../passkeys/passkey-form.tsx";
import { CodeForm, EmailForm } from "../sign-in-pages.tsx";

/* The two steps of signing in to one's own account. */

interface SignInProps {
	readonly serviceName: string;
	/** True if an App has sent the person to buy a plan, or to change it. */
	readonly toPlans: boolean;
	/** That App, where it is known. */
	readonly app: ShownApp | undefined;
	readonly action: string;
	readonly token: string;
	readonly email: string;
	readonly link: string | undefined;
	readonly fault?: Text | undefined;
	/** Where a passkey goes instead of an address or a code; undefined where none can be used. */
	readonly passkey: Pick<Parameters<typeof PasskeyForm>[0], "action" | "fault"> | undefined;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export function accountEmailPage(props: SignInProps): Page {
	const { serviceName, toPlans, app, passkey, status: _, headers: __, ...form } = props;
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t(toPlans ? "sign_in.plans" : "sign_in.account")}</h1>
				<p className="soft">{whyOf(props)}</p>
			</div>
			<AppCard app={app} />
			<EmailForm {...form} focus={!passkey?.fault} passkeys={passkey !== undefined} />
			<SignInByPasskey passkey={passkey} token={form.token} />
		</div>
	);
	return show(t("sign_in"), body, pageOptions(props));
}

function SignInByPasskey({ passkey, token }: Pick<SignInProps, "passkey" | "token">) {
	if (!passkey) return null;
	return (
		<PasskeyForm
			{...passkey}
			kind="get"
			options="/account/passkey/options"
			token={token}
			submit={t("passkey.sign_in")}
			failed={t("passkey.failed")}
		/>
	);
}

function pageOptions({
	status = 200,
	headers,
	app,
	passkey,
}: Pick<SignInProps, "status" | "headers" | "app" | "passkey">) {
	return { status, ...(headers && { headers }), app, passkeys: passkey !== undefined };
}

function whyOf({ serviceName: service, toPlans, app }: SignInProps): Message {
	if (app) return t("sign_in.plans.app", { app: <Name>{app.name}</Name>, service });
	return toPlans ? t("sign_in.plans.text", { service }) : t("sign_in.account.text", { service });
}

type CodeProps = Omit<Parameters<typeof CodeForm>[0], "submit" | "children" | "focus"> &
	Pick<SignInProps, "status" | "headers" | "app" | "passkey">;

export function accountCodePage(props: CodeProps): Page {
	const { status: _, headers: __, app, passkey, ...form } = props;
	const body = (
		<div className="card">
			<h1>{t("type_code")}</h1>
			<AppCard app={app} />
			<CodeForm {...form} submit={t("sign_in")} focus={!passkey?.fault} />
			<SignInByPasskey passkey={passkey} token={form.token} />
		</div>
	);
	return show(t("type_code.title"), body, pageOptions(props));
}
