import { Icon, Name } from "../kit/parts.tsx";
import { type Page, show } from "../kit/visit.ts";
import { CodeForm, EmailForm } from "../people/sign-in-pages.tsx";

/* The pages that a person sees on the way from an App and back to it. */

interface ConnectProps {
	readonly serviceName: string;
	readonly appName: string;
	/** Host that the person came from and returns to. */
	readonly returnsTo: string;
	/** The App's callback, with the result that the person refused. */
	readonly cancel: string;
	readonly token: string;
	readonly email: string;
	readonly fault?: string | undefined;
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string>>;
}

export function emailPage(props: ConnectProps & { readonly action: string }): Page {
	const { serviceName, appName, returnsTo, cancel, token, email, fault, action, status = 200, headers = {} } = props;
	const body = (
		<>
			<div className="card">
				<h1>
					Connect to <bdi>{appName}</bdi>
				</h1>
				<p className="soft">
					<Name>{appName}</Name> keeps your pictures with {serviceName}. Connecting gives it:
				</p>
				<ul className="gets">
					<li>
						<EnvelopeIcon />
						<span>
							<strong>Your e-mail address</strong>, so that it knows who you are.
						</span>
					</li>
					<li>
						<LockIcon />
						<span>
							<strong>Private storage of its own for you.</strong> It sees nothing that you keep in other Apps.
						</span>
					</li>
				</ul>
				<EmailForm action={action} token={token} email={email} fault={fault}>
					<Cancel href={cancel} />
				</EmailForm>
			</div>
			<p className="fine">
				Nothing is shared until you type the code: <strong>typing the code connects you</strong>. You then return to{" "}
				<bdi>{returnsTo}</bdi>. You can disconnect at any time in <a href="/account">your account</a>.
			</p>
		</>
	);
	return show(`Connect to ${appName}`, body, { status, headers });
}

interface CodePageProps extends ConnectProps {
	readonly actions: { readonly verify: string; readonly resend: string };
	readonly restart: string;
	readonly notice?: string | undefined;
	readonly wait?: string | undefined;
}

export function codePage(props: CodePageProps): Page {
	const { appName, returnsTo, cancel, status = 200, headers = {} } = props;
	const body = (
		<>
			<div className="card">
				<div className="stack">
					<h1>Type the code</h1>
					<p className="soft" id="connects">
						Typing it connects you to <Name>{appName}</Name>: it gets your e-mail address and private storage of its own
						for you.
					</p>
				</div>
				<CodeForm {...props} about="connects" submit="Connect">
					<Cancel href={cancel} />
				</CodeForm>
			</div>
			<p className="fine">
				Only type it if you came from <Name>{appName}</Name> yourself. You then return to <bdi>{returnsTo}</bdi>.
			</p>
		</>
	);
	return show(`Type the code to connect to ${appName}`, body, { status, headers });
}

function Cancel({ href }: { readonly href: string }) {
	return (
		<a className="button quiet" href={href} rel="noreferrer">
			Cancel
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
