import { type Page, show } from "../kit/visit.ts";
import { CodeForm, EmailForm } from "./sign-in-pages.tsx";

/* The two steps of signing in to one's own account. */

interface SignInProps {
	readonly serviceName: string;
	/** True if an App has sent the person to buy a plan, or to change it. */
	readonly toPlans: boolean;
	readonly action: string;
	readonly token: string;
	readonly email: string;
	readonly fault?: string | undefined;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export function accountEmailPage({ serviceName, toPlans, status = 200, headers = {}, ...form }: SignInProps): Page {
	const body = (
		<div className="card">
			<div className="stack">
				<h1>{toPlans ? "Sign in to go on to the plans" : "Sign in to your account"}</h1>
				<p className="soft">
					{toPlans
						? `Plans are paid for here, at ${serviceName}. Use the e-mail address that you are signed in to the App with.`
						: `See which Apps keep pictures for you with ${serviceName}, and decide what becomes of them.`}
				</p>
			</div>
			<EmailForm {...form} />
		</div>
	);
	return show("Sign in", body, { status, headers });
}

type CodeProps = Omit<Parameters<typeof CodeForm>[0], "submit" | "children"> & Pick<SignInProps, "status" | "headers">;

export function accountCodePage({ status = 200, headers = {}, ...form }: CodeProps): Page {
	const body = (
		<div className="card">
			<h1>Type the code</h1>
			<CodeForm {...form} submit="Sign in" />
		</div>
	);
	return show("Type the code to sign in", body, { status, headers });
}
