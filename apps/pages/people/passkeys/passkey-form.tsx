import type { ReactNode } from "react";
import { TOKEN_FIELD } from "../../kit/form.ts";
import type { Text } from "../../kit/text.ts";

/* A form that goes out with what a passkey says. Only the script (kit/passkeys.js) can fill it in, and shows it where it can. */

interface PasskeyFormProps {
	/** Whether it makes a passkey or uses one. */
	readonly kind: "create" | "get";
	readonly action: string;
	/** Where the script asks what the passkey is to sign. */
	readonly options: string;
	readonly token: string;
	readonly submit: Text;
	/** What the script says where it came to nothing. */
	readonly failed: Text;
	/** What the last answer was refused for. It has the focus, which the script gives it: nothing else on the page may ask for it. */
	readonly fault?: Text | undefined;
	/** Whether the button is what the person came for: then it has the focus. */
	readonly first?: boolean | undefined;
	readonly children?: ReactNode;
}

const CLASSES = { get: "quiet", create: "quiet slim" } as const;

export function PasskeyForm(props: PasskeyFormProps) {
	const { kind, action, options, token, submit, failed, fault, first = false, children } = props;
	return (
		<form method="post" action={action} data-passkey={kind} data-options={options} hidden>
			<input type="hidden" name={TOKEN_FIELD} value={token} />
			<input type="hidden" name="options" value="" />
			<input type="hidden" name="credential" value="" />
			{children}
			{fault && (
				<p className="alert" role="alert" tabIndex={-1} data-passkey-first="">
					{fault}
				</p>
			)}
			<p className="alert" role="alert" data-passkey-fault="" tabIndex={-1} hidden>
				{failed}
			</p>
			<div className={kind === "get" ? "actions" : undefined}>
				<button className={first ? "primary" : CLASSES[kind]} type="submit" data-passkey-first={first ? "" : undefined}>
					{submit}
				</button>
			</div>
		</form>
	);
}
