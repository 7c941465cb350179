import type { ReactNode } from "react";
import type { Text } from "../../kit/text.ts";

/** One thing that is known, in a `<dl className="facts">`. */
export function Fact({ name, children }: { readonly name: Text; readonly children: ReactNode }) {
	return (
		<div>
			<dt>{name}</dt>
			<dd>{children}</dd>
		</div>
	);
}
