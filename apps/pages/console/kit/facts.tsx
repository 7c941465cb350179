import type { ReactNode } from "react";
import type { Text } from "../../kit/text.ts";

/** What is known of one thing: each with its name above it. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: Text, value: ReactNode])[] }) {
	return (
		<dl className="facts">
			{facts.map(([name, value], place) => (
				<Fact key={place.toString()} name={name}>
					{value}
				</Fact>
			))}
		</dl>
	);
}

/** One of them, in a `<dl className="facts">`. */
export function Fact({ name, children }: { readonly name: Text; readonly children: ReactNode }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}
