import type { ReactNode } from "react";
import type { Text } from "../kit/text.ts";
import { type Page, show } from "../kit/visit.ts";
import { t } from "./messages.ts";

/* Where the links of letters lead. A link is its own proof, so its form has no token, and a form from elsewhere is refused. */

/** What the page says above its buttons, and does with the first of them. */
interface AskedPage {
	readonly title: Text;
	/** The path of the page, which takes the form as well. */
	readonly path: string;
	readonly submit: Text;
	/** Beside the button. */
	readonly other?: ReactNode;
	readonly children: ReactNode;
}

export function askedPage({ title, path, submit, other, children }: AskedPage): Page {
	const body = (
		<div className="card">
			<h1>{title}</h1>
			{children}
			<form method="post" action={path}>
				<div className="actions">
					<button className="final" type="submit">
						{submit}
					</button>
					{other}
				</div>
			</form>
		</div>
	);
	return show(title, body);
}

/** What was taken back, and the way to the sign-in. */
export function takenBackPage(title: Text, text: Text): Page {
	const body = (
		<div className="card">
			<h1>{title}</h1>
			<p>{text}</p>
			<p>
				<a className="button primary" href="/account">
					{t("sign_in")}
				</a>
			</p>
		</div>
	);
	return show(title, body);
}
