import type { Text } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";
import { CodeForm, EmailForm } from "./sign-in-pages.tsx";

/* The two steps of signing in to one's own account. */

interface SignInProps {
	readonly serviceName: string;
	/** True if an App has sent the person to buy a plan, or to change it. */
	readonly toPlans: boolean;
	readonly action: string;
	readonly token: string;
	readonly email: string;
	readonly fault?: Text | undefined;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export function accountEmailPage({ serviceName, toPlans, status = 200, headers = {}, ...form }: SignInProps): Page {
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{t(toPlans ? "sign_in.plans" : "sign_in.account")}</h1>
				<p className="soft">{t(toPlans ? "sign_in.plans.text" : "sign_in.account.text", { service: serviceName })}</p>
			</div>
			<EmailForm {...form} />
		</div>
	);
	return show(t("sign_in"), body, { status, headers });
}

type CodeProps = Omit<Parameters<typeof CodeForm>[0], "submit" | "children"> & Pick<SignInProps, "status" | "headers">;

export function accountCodePage({ status = 200, headers = {}, ...form }: CodeProps): Page {
	const body = (
		<div className="card">
			<h1>{t("type_code")}</h1>
			<CodeForm {...form} submit={t("sign_in")} />
		</div>
	);
	return show(t("type_code.title"), body, { status, headers });
}
