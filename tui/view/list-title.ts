import { hasQueues } from "../state/lists/answers.ts";
import { listOf, visibleOf } from "../state/lists/list.ts";
import type { State } from "../state/model.ts";
import { TABS, tabOf } from "../state/screens.ts";
import type { Thing } from "../state/things.ts";
import type { Line, Span } from "./paint.ts";

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
export function listPlace(state: State): Line {
	const { marked } = listOf(state);
	const spans: Span[] = [
		...newsSpans(state),
		...(marked.size > 0 ? [{ text: `${marked.size} marked`, tone: "warn" } as const] : []),
		{ text: countText(state), bold: true },
	];
	return spans.flatMap((span, index) => (index === 0 ? [span] : [{ text: " · ", dim: true }, span]));
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

/** What has come meanwhile, and whether the screen hears at once of what comes. */
function newsSpans(state: State): readonly Span[] {
	const { held, error, filter } = listOf(state);
	if (held !== undefined) {
		const fresh = held.things.filter(({ id }) => held.fresh.has(id));
		const count = visibleOf({ things: fresh, filter }).length;
		return count === 0 ? [] : [{ text: `${count} new: g`, tone: "accent", bold: true }];
	}
	if (state.screen === "audit" && state.follows && error === undefined) return [{ text: "following", tone: "good" }];
	const isLive = state.screen === "events" && state.feed?.seq !== undefined && error === undefined;
	return isLive ? [{ text: "live", tone: "good" }] : [];
}
