import { Fragment, type ReactNode } from "react";
import type { Text } from "../../kit/text.ts";
import type { AccountCall } from "./account-call.ts";

/** A page of the account: `/account/<id>`. */
export interface Section {
	readonly id: string;
	readonly title: Text;
	/** Its heading and what is below. */
	readonly show: (call: AccountCall) => Promise<ReactNode>;
	/** It makes passkeys. */
	readonly passkeys?: boolean;
}

/** Several on one page, each with its heading. */
export async function together(sections: readonly Section[], call: AccountCall) {
	const shown = await Promise.all(sections.map(async ({ id, show }) => ({ id, body: await show(call) })));
	return (
		<div className="parts">
			{shown.map(({ id, body }) => (
				<Fragment key={id}>{body}</Fragment>
			))}
		</div>
	);
}

/** A section with its heading, as all of them look. */
export function SectionCard({
	id,
	title,
	children,
}: {
	readonly id: string;
	readonly title: Text;
	readonly children: ReactNode;
}) {
	return (
		<section className="card" aria-labelledby={id}>
			<h2 id={id}>{title}</h2>
			{children}
		</section>
	);
}
