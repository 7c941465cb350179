import type { ComponentProps } from "react";
import { hasQueues } from "../../state/lists/answers.ts";
import { listOf, visibleOf } from "../../state/lists/list.ts";
import type { State } from "../../state/model.ts";
import { TABS, tabOf } from "../../state/screens.ts";
import type { Thing } from "../../state/things.ts";
import { Words } from "../words.tsx";

/** What is listed: of the screen's things those that were chosen. */
export function listTitle(state: State): string {
	const { screen, user, endpoint } = state;
	const of = [
		screen === "deliveries" ? `Deliveries › ${endpoint?.url ?? "none"}` : TABS[tabOf(screen)].title,
		...(screen === "images" && user !== undefined ? [user.email] : []),
		...(hasQueues(screen) ? [state.queues[screen]] : []),
		...(screen === "plans" && state.app?.sells === false ? ["may not be sold yet"] : []),
	];
	return of.join(" · ");
}

/** What came meanwhile, what is marked, and where the cursor is among how many. */
export function ListPlace({ state }: { readonly state: State }) {
	const { marked } = listOf(state);
	const fresh = freshCount(state);
	return (
		<>
			{fresh > 0 && <Part tone="accent" bold>{`${fresh} new: g`}</Part>}
			{isHearing(state) && <Part tone="good">{state.screen === "audit" ? "following" : "live"}</Part>}
			{marked.size > 0 && <Part tone="warn">{`${marked.size} marked`}</Part>}
			<Words bold>{countText(state)}</Words>
		</>
	);
}

/** One of several things that are said behind one another. */
function Part(look: ComponentProps<typeof Words>) {
	return (
		<>
			<Words {...look} />
			<Words dim> · </Words>
		</>
	);
}

/** As 34/1000+: more are not loaded. With a filter, of how many. */
function countText(state: State): string {
	const { filter, things, nextCursor, cursor } = listOf(state);
	const visible = visibleOf(listOf(state));
	// A row that adds the others up is none of them.
	const [sums, allSums] = [sumsIn(visible), sumsIn(things)];
	const place = cursor < sums ? "Σ" : String(cursor + 1 - sums);
	const at = visible.length === 0 ? "0" : `${place}/${visible.length - sums}`;
	const more = nextCursor === undefined ? "" : "+";
	return filter === "" ? at + more : `${at} of ${things.length - allSums}${more}`;
}

const sumsIn = (things: readonly Thing[]) => things.filter(({ object }) => object === "money").length;

/** How many have come that are not shown yet. */
function freshCount(state: State): number {
	const { held, filter } = listOf(state);
	if (held === undefined) return 0;
	const fresh = held.things.filter(({ id }) => held.fresh.has(id));
	return visibleOf({ things: fresh, filter }).length;
}

/** Whether the screen hears at once of what comes. */
function isHearing(state: State): boolean {
	const { held, error } = listOf(state);
	if (held !== undefined || error !== undefined) return false;
	return state.screen === "audit" ? state.follows : state.screen === "events" && state.feed?.seq !== undefined;
}
