import { PassThrough } from "node:stream";
import { type Instance, render } from "ink";
import type { ReactNode } from "react";
import { run, type Surroundings } from "./effects.ts";
import { type DashboardOptions, hasColour, startOf } from "./options.ts";
import { coloursOf } from "./preview/colours.ts";
import { previewLines } from "./previews.ts";
import type { State } from "./state/model.ts";
import { wantedPreview } from "./state/preview.ts";
import { start } from "./state/reduce.ts";
import { createStore } from "./store.ts";
import { openTerminal, type TerminalSession } from "./terminal/session.ts";
import { Dashboard } from "./view/dashboard.tsx";

const TICK_MS = 5_000;
/** Holding a key down passes many images; only the one that it stops at is fetched. */
const PREVIEW_REST_MS = 120;

/** OSC 52: the terminal's own clipboard, also through ssh. */
function clipboard(text: string): string {
	return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

function draw(frame: ReactNode): Instance {
	return render(frame, {
		// Keys are read and parsed before Ink could see them: it gets an input that stays silent.
		stdin: new PassThrough() as unknown as NodeJS.ReadStream,
		exitOnCtrlC: false,
		patchConsole: false,
		// CI in the environment would silence it otherwise.
		interactive: true,
		maxFps: 60,
	});
}

/** Fetches the picture that the state shows, once the cursor has come to rest. */
function followPreview(options: DashboardOptions, took: (key: string, lines: readonly string[]) => void) {
	let key: string | undefined;
	let timer: ReturnType<typeof setTimeout> | undefined;
	let last = new AbortController();
	return (state: State): void => {
		const wanted = wantedPreview(state);
		if (wanted === undefined || wanted.key === key) return;
		key = wanted.key;
		clearTimeout(timer);
		last.abort();
		last = new AbortController();
		const { signal } = last;
		const colours = coloursOf(options.env, true);
		const load = async () => {
			const lines = await previewLines(wanted, { ...options, colours, signal }).catch(() => ["[no preview]"]);
			if (!signal.aborted) took(wanted.key, lines);
		};
		timer = setTimeout(load, PREVIEW_REST_MS);
	};
}

/** A screen reader reads line by line: two panes side by side would be read as one. */
const READER_COLUMNS = 80;

/** Takes over the terminal of this process until the person leaves. */
export function openDashboard(options: DashboardOptions): Promise<0 | 130> {
	return new Promise((left, failed) => {
		const stopped = new AbortController();
		const colour = hasColour(options.env);
		const most = options.env.INK_SCREEN_READER === "true" ? READER_COLUMNS : Number.POSITIVE_INFINITY;
		let screen: Instance | undefined;
		let ticks: ReturnType<typeof setInterval> | undefined;

		let due: ReturnType<typeof setImmediate> | undefined;

		const redraw = () => {
			clearImmediate(due);
			due = undefined;
			if (!stopped.signal.aborted) screen?.rerender(<Dashboard state={store.state} colour={colour} />);
		};
		const session: TerminalSession = openTerminal({
			input: (input) => store.dispatch(input),
			resized(columns, rows) {
				store.dispatch({ type: "resize", columns: Math.min(columns, most), rows });
				// At once: Ink is told of the new size next, and would draw the old frame into it.
				redraw();
			},
			stopped() {
				clearInterval(ticks);
				stopped.abort();
				screen?.unmount();
			},
		});
		const around: Surroundings = {
			management: options.management,
			app: options.app,
			signal: stopped.signal,
			dispatch: (event) => store.dispatch(event),
			copy: (text) => session.send(clipboard(text)),
			open: options.browse,
			quit(exit) {
				session.close();
				left(exit);
			},
		};
		const follow = followPreview(options, (key, lines) => store.dispatch({ type: "preview", key, lines }));
		const size = { columns: Math.min(session.columns, most), rows: session.rows };
		const store = createStore(start(startOf(options, size)), {
			changed(state) {
				if (stopped.signal.aborted) return;
				// Many keys of one chunk are one frame: a key that is held down must not outrun the screen.
				due ??= setImmediate(redraw);
				follow(state);
			},
			// A failed effect is a bug: it ends the program like every other one.
			effect: (effect) => void run(effect, around),
		});
		ticks = setInterval(() => store.dispatch({ type: "tick", nowMs: Date.now() }), TICK_MS);
		try {
			screen = draw(<Dashboard state={store.state} colour={colour} />);
		} catch (error) {
			session.close();
			failed(error);
		}
	});
}
