import { usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";
import type { ConsoleVisit } from "./visit.ts";

/** So many pages one comes back without leaving the address too long. */
const TRAIL_MAX = 12;

interface PagerProps {
	readonly visit: ConsoleVisit;
	/** `next_cursor` of the list. */
	readonly next: string | null;
	/** The letters that lead back and on. */
	readonly keys?: readonly [string, string];
}

/** Leads on in a list with the filter that it has, and back; `trail` has the cursors of the pages before, the nearest last. */
export function Pager({ visit: { url }, next, keys = ["p", "n"] }: PagerProps) {
	const label = usePlain()(t("pages"));
	const { searchParams } = url;
	const cursor = searchParams.get("cursor") ?? "";
	const trail = searchParams.get("trail")?.split("~") ?? [];
	const before = trail.at(-1);
	if (before === undefined && next === null) return null;
	return (
		<nav className="pager" aria-label={label}>
			{before !== undefined && (
				<a rel="prev" data-keys={keys[0]} href={placeAt(url, before, trail.slice(0, -1))}>
					{t("previous")}
				</a>
			)}
			{next !== null && (
				<a rel="next" data-keys={keys[1]} href={placeAt(url, next, [...trail, cursor].slice(-TRAIL_MAX))}>
					{t("next")}
				</a>
			)}
		</nav>
	);
}

function placeAt({ pathname, searchParams }: URL, cursor: string, trail: readonly string[]): string {
	const query = new URLSearchParams(searchParams);
	for (const [name, value] of [
		["cursor", cursor],
		["trail", trail.length === 0 ? null : trail.join("~")],
	] as const) {
		if (value === null || (name === "cursor" && value === "")) query.delete(name);
		else query.set(name, value);
	}
	const text = query.toString();
	return text ? `${pathname}?${text}` : pathname;
}
