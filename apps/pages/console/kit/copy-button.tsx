import { type Text, usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";

interface CopyButtonProps {
	/** The id of the element whose text is copied. */
	readonly of: string;
	/** What stands on it where several are beside each other. Default: "Copy". */
	readonly children?: Text;
}

/** Shown only where scripts run; without one a person marks the text. */
export function CopyButton({ of, children }: CopyButtonProps) {
	const say = usePlain();
	return (
		<button
			className="quiet slim"
			type="button"
			data-copy={of}
			data-copied={say(t("copied"))}
			data-keys="c"
			aria-live="polite"
		>
			{children ?? t("copy")}
		</button>
	);
}

interface CodeBlockProps {
	/** Of the element, on its page. */
	readonly id: string;
	readonly children: string;
}

/** Code to paste somewhere, with a button that copies it. */
export function CodeBlock({ id, children }: CodeBlockProps) {
	return (
		<>
			<pre className="code">
				<code id={id}>{children}</code>
			</pre>
			<CopyButton of={id} />
		</>
	);
}
