import type { ReactNode } from "react";
import type { Text } from "../../kit/text.ts";

/** What is known of one thing: each with its name above it. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: Text, value: ReactNode])[] }) {
	return (
		<dl className="facts">
			{facts.map(([name, value], place) => (
				<div key={place.toString()}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
