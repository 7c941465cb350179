import chalk from "chalk";
import { renderToString } from "ink";
import { type DashboardOptions, startOf } from "./options.ts";
import { type EffectContext, run } from "./service/effects.ts";
import { listOf } from "./state/lists/list.ts";
import type { Effect, State } from "./state/model.ts";
import { start } from "./state/reduce.ts";
import { type ScreenName, screensOf } from "./state/screens.ts";
import { createStore } from "./store.ts";
import { Dashboard } from "./view/dashboard.tsx";
import { THEMES } from "./view/theme.ts";

interface PrintedFrame {
	/** The error for which the screen could not be loaded. */
	readonly error: string | null;
	/** The screen that is printed: another one where the service has not what was asked for, or not for this person. */
	readonly screen: ScreenName;
	/** The screens that there are. */
	readonly screens: readonly ScreenName[];
	/** Lines without colours, for a pipe, a file or a screen reader. */
	readonly lines: readonly string[];
}

/** Prints one screen once all that it asks for has come. */
export async function printFrame(
	options: DashboardOptions,
	size: Pick<State, "columns" | "rows">,
	signal: AbortSignal,
): Promise<PrintedFrame> {
	const running = new Set<Promise<void>>();
	const begin = (effect: Effect) => {
		// What is printed is what there is now.
		if (effect.type === "wait" || effect.type === "listen") return;
		const one = run(effect, around).finally(() => running.delete(one));
		running.add(one);
	};
	const around: EffectContext = {
		management: options.management,
		clientOf: options.clientOf,
		app: options.app,
		signal,
		dispatch: (event) => store.dispatch(event),
		copy: () => undefined,
		read: async () => [],
		save: async () => "",
		keepTheme: async () => "",
		open: async () => false,
		quit: () => undefined,
	};
	const store = createStore(start({ ...startOf(options, size), pictures: "none" }), begin);
	while (running.size > 0) await Promise.all(running);
	chalk.level = 0;
	const text = renderToString(<Dashboard state={store.state} theme={THEMES.none} />, { columns: size.columns });
	const { error } = listOf(store.state);
	return {
		error: error ?? null,
		screen: store.state.screen,
		screens: screensOf(store.state),
		lines: text.split("\n"),
	};
}
