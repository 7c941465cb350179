import chalk from "chalk";
import { type Instance, render } from "ink";
import { type DashboardOptions, startOf } from "./options.ts";
import { followPreview } from "./preview/previews.ts";
import { type EffectContext, run } from "./service/effects.ts";
import { start } from "./state/reduce.ts";
import { wishedTheme } from "./state/theme.ts";
import { createStore, type Store } from "./store.ts";
import { asksGround, picturesIn } from "./terminal/abilities.ts";
import { openTerminal, type TerminalSession } from "./terminal/session.ts";
import { ScreenStream } from "./terminal/streams.ts";
import { Program } from "./view/program.tsx";

const TICK_MS = 5_000;
/** A second: a key that is held down must not outrun the screen. */
const MOST_DRAWS = 15;

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
		let ticks: ReturnType<typeof setInterval> | undefined;
		const size = () => ({ columns: Math.min(session.columns, most), rows: session.rows });
		const session: TerminalSession = openTerminal(
			{
				input: (input) => store.dispatch(input),
				resized() {
					store.dispatch({ type: "resize", ...size() });
					// The screen is empty now, whether or not the next frame is the same.
					screen?.clear();
					screen?.rerender(<Program store={store} />);
				},
				stopped() {
					clearInterval(ticks);
					stopped.abort();
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
		// A failed effect is a bug: it ends the program like every other one.
		const store = createStore(start({ ...startOf(options, size()), pictures }), (effect) => void run(effect, context));
		store.subscribe(() => {
			if (!stopped.signal.aborted) follow(store.state);
		});
		ticks = setInterval(() => store.dispatch({ type: "tick", nowMs: Date.now() }), TICK_MS);
		const begin = () => {
			if (stopped.signal.aborted) return;
			try {
				screen = draw(store, session, new ScreenStream(size, session.send));
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

function draw(store: Store, { keys }: TerminalSession, screen: ScreenStream): Instance {
	// Themes are of 256 colours, or of none: what else tells of the terminal has no say.
	chalk.level = 2;
	return render(<Program store={store} />, {
		stdin: keys as unknown as NodeJS.ReadStream,
		stdout: screen as unknown as NodeJS.WriteStream,
		exitOnCtrlC: false,
		patchConsole: false,
		// Otherwise Ink would draw nothing where CI is set in the environment.
		interactive: true,
		incrementalRendering: true,
		maxFps: MOST_DRAWS,
	});
}
