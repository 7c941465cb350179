import { Box } from "ink";
import type { ReactNode } from "react";
import { wrap } from "../text.ts";
import { Words } from "./words.tsx";

/** Nodes of a line each, one below the other; what is empty is an empty line. */
export function Lines({ of }: { readonly of: readonly ReactNode[] }) {
	return [...of.entries()].map(([at, line]) => (
		<Box key={at} height={1} flexShrink={0}>
			{line}
		</Box>
	));
}

/** A text of as many lines as it needs in so many cells. */
export function Wrapped({ children, columns }: { readonly children: string; readonly columns: number }) {
	return <Lines of={wrap(children, columns).map((line) => <Words key={line}>{line}</Words>)} />;
}
