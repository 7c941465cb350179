import { PassThrough } from "node:stream";
import { type Instance, render } from "ink";
import type { ReactNode } from "react";
import { type DashboardOptions, startOf } from "./options.ts";
import { followPreview } from "./preview/previews.ts";
import { type EffectContext, run } from "./service/effects.ts";
import { placedPicture } from "./state/preview.ts";
import { start } from "./state/reduce.ts";
import { themeOf, wishedTheme } from "./state/theme.ts";
import { createStore } from "./store.ts";
import { asksGround, picturesIn } from "./terminal/abilities.ts";
import { createFrames, type Frames } from "./terminal/frames.ts";
import { openTerminal, type TerminalSession } from "./terminal/session.ts";
import { Dashboard } from "./view/dashboard.tsx";
import { THEMES } from "./view/theme.ts";

const TICK_MS = 5_000;

/** A screen reader reads line by line: two panes side by side would be read as one. */
const READER_COLUMNS = 80;

/** Takes over the terminal of this process until the person leaves. */
export function openDashboard(options: DashboardOptions): Promise<0 | 130> {
	return new Promise((left, failed) => {
		const stopped = new AbortController();
		// Where a theme is wished for, the ground is not asked for either.
		const ground = asksGround(options.env) && wishedTheme(options.env, options.theme, options.keptTheme) === undefined;
		const most = options.env.INK_SCREEN_READER === "true" ? READER_COLUMNS : Number.POSITIVE_INFINITY;
		const { pictures, asks } = picturesIn(options.env);
		let screen: Instance | undefined;
		let frames: Frames | undefined;
		let ticks: ReturnType<typeof setInterval> | undefined;
		let due: ReturnType<typeof setImmediate> | undefined;

		const redraw = () => {
			clearImmediate(due);
			due = undefined;
			if (stopped.signal.aborted) return;
			drawn = store.state;
			screen?.rerender(<Dashboard state={drawn} theme={THEMES[themeOf(drawn)]} />);
		};
		const session: TerminalSession = openTerminal(
			{
				input: (input) => store.dispatch(input),
				resized(columns, rows) {
					store.dispatch({ type: "resize", columns: Math.min(columns, most), rows });
					// The screen is empty now, whether or not the next frame is the same.
					screen?.clear();
					redraw();
					frames?.resized();
				},
				stopped() {
					clearInterval(ticks);
					stopped.abort();
					frames?.end();
					screen?.unmount();
				},
			},
			{ graphics: asks, ground },
		);
		const context: EffectContext = {
			management: options.management,
			clientOf: options.clientOf,
			app: options.app,
			signal: stopped.signal,
			dispatch: (event) => store.dispatch(event),
			copy: (text) => session.send(clipboard(text)),
			read: options.read,
			save: options.save,
			open: options.browse,
			keepTheme: options.keepTheme,
			quit(exit) {
				// What the terminal still answers must not end up as keys in the shell.
				void session.answered.then(() => {
					session.close();
					left(exit);
				});
			},
		};
		const follow = followPreview({
			...options,
			stopped: stopped.signal,
			took: (preview) => store.dispatch({ type: "preview", ...preview }),
		});
		const size = { columns: Math.min(session.columns, most), rows: session.rows };
		const store = createStore(start({ ...startOf(options, size), pictures }), {
			changed(state) {
				if (stopped.signal.aborted) return;
				// Many keys of one chunk are one frame: a key that is held down must not outrun the screen.
				due ??= setImmediate(redraw);
				follow(state);
			},
			// A failed effect is a bug: it ends the program like every other one.
			effect: (effect) => void run(effect, context),
		});
		let drawn = store.state;
		frames = createFrames({ size: session, picture: () => placedPicture(drawn), put: session.send });
		ticks = setInterval(() => store.dispatch({ type: "tick", nowMs: Date.now() }), TICK_MS);
		const begin = () => {
			if (stopped.signal.aborted || frames === undefined) return;
			drawn = store.state;
			try {
				screen = draw(<Dashboard state={drawn} theme={THEMES[themeOf(drawn)]} />, frames);
			} catch (error) {
				session.close();
				failed(error);
			}
		};
		// The first frame has its colours already.
		void session.answered.then(begin);
	});
}

/** OSC 52: the terminal's own clipboard, also through ssh. */
function clipboard(text: string): string {
	return `\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`;
}

function draw(frame: ReactNode, { stream, drawn }: Frames): Instance {
	return render(frame, {
		// Keys are read and parsed before Ink could see them: it gets an input that stays silent.
		stdin: new PassThrough() as unknown as NodeJS.ReadStream,
		stdout: stream,
		exitOnCtrlC: false,
		patchConsole: false,
		// Otherwise Ink would draw nothing where CI is set in the environment.
		interactive: true,
		maxFps: 60,
		onRender: drawn,
	});
}
