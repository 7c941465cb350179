import { useInput, usePaste } from "ink";
import { useSyncExternalStore } from "react";
import { themeOf } from "../state/theme.ts";
import type { Store } from "../store.ts";
import { keysOf } from "../terminal/keys.ts";
import { Dashboard } from "./dashboard.tsx";
import { Graphics } from "./graphics.tsx";
import { THEMES } from "./theme.ts";

/** The dashboard as it is now, and what is typed at it. */
export function Program({ store }: { readonly store: Store }) {
	const state = useSyncExternalStore(store.subscribe, () => store.state);
	useInput((input, key) => keysOf(input, key).forEach(store.dispatch));
	usePaste((text) => store.dispatch({ type: "paste", text }));
	return (
		<>
			<Dashboard state={state} theme={THEMES[themeOf(state)]} />
			<Graphics state={state} />
		</>
	);
}
