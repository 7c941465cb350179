import { ApiError } from "@svc/sdk/failure";
import type { Clients } from "../options.ts";
import type { AppInView, Effect, Event, Mode, State } from "../state/model.ts";
import { OF_PLATFORM, type ScreenName } from "../state/screens.ts";
import type { ThemeName } from "../state/theme.ts";
import { messageOf, perform } from "./act.ts";
import { NotNow } from "./asked.ts";
import { listenFor } from "./feed.ts";
import { loadPage } from "./loaders.ts";

const RUN = crypto.randomUUID();
const MODES: readonly Mode[] = ["live", "test"];

type Size = Pick<State, "columns" | "rows">;

export interface EffectContext extends Clients {
	/** The App to begin with, if any. */
	readonly app: string | undefined;
	dispatch(event: Event): void;
	copy(text: string): void;
	/** What a command of the CLI that only reads prints. @throws Error for people */
	read(line: string, around: { readonly app: string | undefined } & Size): Promise<readonly string[]>;
	/** Saves the picture at an address; the file that it is in now. @throws Error for people */
	save(url: string, name: string): Promise<string>;
	/** Keeps a theme, or none, in the profile; the profile's name. @throws Error for people */
	keepTheme(theme: ThemeName | undefined): Promise<string>;
	/** Opens an address in a browser; false where there is none. */
	open(url: string): Promise<boolean>;
	quit(exit: 0 | 130): void;
	readonly signal: AbortSignal;
}

/** Does what the state asks for. The promise resolves when it is done, for callers that wait. */
export async function run(effect: Effect, context: EffectContext): Promise<void> {
	const { dispatch } = context;
	switch (effect.type) {
		case "meet":
			return answer(context, effect, () => meet(context));
		case "load": {
			const { screen, seq } = effect;
			const load = async (): Promise<Event> => {
				return { type: "page", screen, seq, ...(await loadPage({ ...context, ...effect })) };
			};
			return answer(context, effect, load);
		}
		case "listen":
			return await listen(context, effect);
		case "wait":
			setTimeout(() => dispatch({ type: "slow", screen: effect.screen, seq: effect.seq }), effect.milliseconds).unref();
			return;
		case "act":
			return dispatch({ type: "acted", seq: effect.seq, ...(await perform(context, effect.act, keyOf(effect))) });
		case "look-up":
			return dispatch(await lookUp(context, effect));
		case "run":
			return dispatch({ type: "ran", seq: effect.seq, lines: await printedBy(context, effect) });
		case "copy":
			return context.copy(effect.text);
		case "save":
			return dispatch(await saved(context, effect));
		case "open":
			return dispatch({ type: "opened", url: effect.url, isOpen: await context.open(effect.url) });
		case "keep-theme":
			return dispatch(await keptTheme(context, effect.theme));
		case "quit":
			return context.quit(effect.exit);
	}
}

async function saved(context: EffectContext, { url, name }: Extract<Effect, { type: "save" }>): Promise<Event> {
	try {
		return { type: "saved", file: await context.save(url, name) };
	} catch (error) {
		return { type: "not-saved", message: messageOf(error) };
	}
}

async function keptTheme({ keepTheme }: EffectContext, theme: ThemeName | undefined): Promise<Event> {
	return await keepTheme(theme).then(
		(where): Event => ({ type: "theme-kept", where }),
		(error: unknown): Event => ({ type: "theme-kept", message: messageOf(error) }),
	);
}

async function printedBy({ read }: EffectContext, { line, ...around }: Extract<Effect, { type: "run" }>) {
	try {
		return await read(line, around);
	} catch (error) {
		return [`✗ ${messageOf(error)}`];
	}
}

async function lookUp(context: EffectContext, { seq, app }: Extract<Effect, { type: "look-up" }>): Promise<Event> {
	const { management, signal } = context;
	return await management.operator.apps.get(app, { signal }).then(
		(found): Event => ({ type: "looked-up", seq, app: found }),
		(error: unknown): Event => ({ type: "not-found", seq, message: refusalText(error) }),
	);
}

/** No other run of the program, and no other form of this one, sends anything with it. */
function keyOf({ opening }: Extract<Effect, { type: "act" }>): string | undefined {
	return opening === undefined ? undefined : `${RUN}-${opening}`;
}

async function listen(context: EffectContext, effect: Extract<Effect, { type: "listen" }>): Promise<void> {
	const { seq } = effect;
	const event = await listenFor(context, effect).then(
		(things): Event => ({ type: "happened", seq, things }),
		(error: unknown): Event => ({ type: "unheard", seq, message: refusalText(error) }),
	);
	if (!context.signal.aborted) context.dispatch(event);
}

async function meet(context: EffectContext): Promise<Event> {
	const { email, operator } = await context.management.me.get({ signal: context.signal });
	const app = await findApp(context, operator);
	const [mode, absent] =
		app === undefined ? [] : await Promise.all([findMode(context, app.id), findAbsent(context, app)]);
	return { type: "met", person: { email, operator }, app, mode, ...(absent && { absent }) };
}

/** An older interface has none of what came with presets; of an App that is not theirs, nobody can tell. */
async function findAbsent(
	{ management, signal }: EffectContext,
	{ id, role }: AppInView,
): Promise<readonly ScreenName[]> {
	if (role === undefined) return [];
	try {
		await management.apps.of(id).presets.list({ limit: 1, signal });
		return [];
	} catch (error) {
		return error instanceof ApiError && error.status === 404 ? OF_PLATFORM : [];
	}
}

/** Read off the App's newest key: the service says it nowhere else. */
async function findMode({ management, signal }: EffectContext, app: string): Promise<Mode | undefined> {
	const found = await management.apps
		.of(app)
		.keys.list({ limit: 1, signal })
		.catch(() => undefined);
	return MODES.find((mode) => found?.data[0]?.prefix.includes(`_${mode}_`));
}

async function findApp({ management, app, signal }: EffectContext, operator: boolean): Promise<AppInView | undefined> {
	if (app === undefined) {
		const [first] = (await management.apps.list({ limit: 1, signal })).data;
		return first && { id: first.id, name: first.name, role: first.role };
	}
	try {
		const { id, name, role } = await management.apps.get(app, { signal });
		return { id, name, role };
	} catch (error) {
		// An operator need not belong to an App's team.
		if (!(error instanceof ApiError) || error.status !== 404) throw error;
		const known = operator ? await management.operator.apps.get(app, { signal }).catch(() => undefined) : undefined;
		if (known === undefined) throw new NotNow(`There is no App ${app} that you may see. Name another one with --app.`);
		return { id: known.id, name: known.name, role: undefined };
	}
}

/** Runs a function that may fail, and shows the failure in the list that it is about. */
async function answer(
	context: EffectContext,
	{ screen, seq }: Extract<Effect, { screen: string }>,
	ask: () => Promise<Event>,
) {
	const event = await ask().catch((error: unknown): Event => {
		return { type: "refused", screen, seq, message: refusalText(error) };
	});
	if (!context.signal.aborted) context.dispatch(event);
}

function refusalText(error: unknown): string {
	if (error instanceof NotNow) return error.message;
	if (error instanceof ApiError && (error.status === 401 || error.status === 403)) {
		return `${messageOf(error)} The dashboard needs a person's token: svc login`;
	}
	return messageOf(error);
}
