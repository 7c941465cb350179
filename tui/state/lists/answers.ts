import {
	type AppInView,
	type Event,
	type List,
	QUEUES,
	type Queues,
	type State,
	type Step,
	say,
	stay,
} from "../model.ts";
import { ALL_SCREENS, OF_OPERATORS, type ScreenName, TABS, tabOf } from "../screens.ts";
import type { Thing } from "../things.ts";
import { tookFirstEvents } from "./feed.ts";
import { EMPTY_LIST, ensureAhead, listOf, refresh, withList, withThings } from "./list.ts";
import { tookNews } from "./live.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/** Lists that belong to no App. */
const OF_SERVICE: readonly ScreenName[] = ["moderation", "apps", "trash"];
const OF_APP = ALL_SCREENS.filter((screen) => !OF_SERVICE.includes(screen));

export function tookPage(before: State, event: Of<"page">): Step {
	if (!isAwaited(before, event)) return stay(before);
	const state = withSelling(withPictureAgain(before, event), event);
	if (event.screen === "events") return tookFirstEvents(state, event);
	if (state.lists[event.screen].pending?.kind === "news") return tookNews(state, event);
	const next = withList(
		state,
		(list) => ({
			...withThings(list, list.pending?.kind === "more" ? joined(list, event.things) : event.things),
			...(list.pending?.kind === "more" ? {} : { held: undefined, gone: new Set<string>() }),
			nextCursor: event.nextCursor,
			loaded: true,
			pending: undefined,
			error: undefined,
		}),
		event.screen,
	);
	return event.screen === state.screen ? ensureAhead(next) : stay(next);
}

/** What could not be reached is there again: the picture that was not fetched meanwhile is asked for once more. */
function withPictureAgain(state: State, { screen }: Of<"page">): State {
	const isBack = state.lists[screen].error !== undefined && state.preview?.drawing.kind === "words";
	return isBack ? { ...state, preview: undefined } : state;
}

function withSelling(state: State, { sells }: Of<"page">): State {
	return sells === undefined || state.app === undefined ? state : { ...state, app: { ...state.app, sells } };
}

/** Whether this is the answer that the list waits for; an older request's changes nothing. */
function isAwaited(state: State, { screen, seq }: { readonly screen: ScreenName; readonly seq: number }): boolean {
	return state.lists[screen].pending?.seq === seq;
}

/** The next page may repeat what has moved meanwhile. */
function joined(list: List, things: readonly Thing[]): readonly Thing[] {
	const known = new Set(list.things.map(({ id }) => id));
	return [...list.things, ...things.filter(({ id }) => !known.has(id))];
}

export function tookRefusal(state: State, event: Of<"refused">): Step {
	if (!isAwaited(state, event)) return stay(state);
	const refused = withList(state, (list) => ({ ...list, pending: undefined, error: event.message }), event.screen);
	// The place in the feed may be what was refused: the next try reads it anew.
	return stay(event.screen === "events" ? { ...refused, feed: undefined } : refused);
}

export function tookSlow(state: State, event: Of<"slow">): Step {
	if (!isAwaited(state, event)) return stay(state);
	const slowed = (list: List): List => ({ ...list, pending: list.pending && { ...list.pending, slow: true } });
	return stay(withList(state, slowed, event.screen));
}

/** Each screen that was shown meanwhile asked who is signed in; the first answer counts. */
export function tookPerson(state: State, { person, app, mode, absent: lacking = [] }: Of<"met">): Step {
	if (state.person !== undefined) return stay(state);
	const absent = [...lacking, ...(person.operator ? [] : OF_OPERATORS)];
	const screen = absent.includes(state.screen) ? "apps" : state.screen;
	const lists = { ...state.lists };
	for (const one of ALL_SCREENS) lists[one] = { ...lists[one], pending: undefined };
	const next: State = { ...state, lists, person, app, mode, absent, screen };
	return refresh(screen === state.screen || !isWished(state) ? next : say(next, "warn", absentText(state.screen)));
}

/** Only operators have the first screen: whoever named none does not miss it. */
function isWished({ namesScreen, screen }: State): boolean {
	return namesScreen || screen !== "moderation";
}

function absentText(screen: ScreenName): string {
	const why = OF_OPERATORS.includes(screen) ? "it is for operators" : "this service has none";
	return `There is no screen ${TABS[tabOf(screen)].title} for you: ${why}. These are the Apps.`;
}

/** On a machine without a screen nobody would see what was opened. */
export function tookOpening(state: State, { url, isOpen }: Of<"opened">): State {
	return isOpen ? say(state, "good", `Opening ${url}`) : say(state, "warn", `There is no browser here: ${url}`);
}

export function chooseApp(state: State, app: AppInView): State {
	const emptied = Object.fromEntries(OF_APP.map((screen) => [screen, EMPTY_LIST]));
	return {
		...state,
		app,
		endpoint: undefined,
		user: undefined,
		feed: undefined,
		lists: { ...state.lists, ...emptied },
	};
}

/** Another queue is another list. */
export function chooseQueue(state: State, queue: Partial<Queues>): Step {
	const { filter } = listOf(state);
	return refresh(withList({ ...state, queues: { ...state.queues, ...queue } }, () => ({ ...EMPTY_LIST, filter })));
}

/** What else the screen can list of its things. */
export function nextQueue(state: State): Step {
	if (!hasQueues(state.screen)) return stay(state);
	const names: readonly string[] = QUEUES[state.screen];
	const at = names.indexOf(state.queues[state.screen]);
	return chooseQueue(state, { [state.screen]: names[(at + 1) % names.length] });
}

export function hasQueues(screen: ScreenName): screen is keyof Queues {
	return screen in QUEUES;
}
