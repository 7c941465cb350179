import type { ReactNode } from "react";
import type { Text } from "../kit/text.ts";
import type { AccountCall } from "./account-call.ts";

/** A part of the account's page, which also stands on a page of its own: `/account/<id>`. */
export interface Section {
	readonly id: string;
	readonly title: Text;
	/**
	 * Its heading and what is below; undefined where the person has no such thing.
	 * @param alone whether it stands on its own page, where there is room for all of it
	 */
	readonly show: (call: AccountCall, alone: boolean) => Promise<ReactNode | undefined>;
	/** True where its page is another one, with a route of its own. */
	readonly elsewhere?: boolean;
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
