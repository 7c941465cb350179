import type { ReactNode } from "react";
import type { ScriptName } from "../../kit/assets.ts";
import { missing } from "../../kit/layout.tsx";
import { Alert, Notice } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import type { OperatorScreen } from "../kit/bar.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines, type LinesProps } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";

/* What stands around the screens of those who run the service. These are in English alone. */

export const OPERATOR = "/console/operator";

/** To everybody else there is no such screen. */
export function forOperators(screen: Screen): Screen {
	const guarded =
		<Asked extends ConsoleVisit, Rest extends unknown[]>(run: (asked: Asked, ...rest: Rest) => Promise<PageResult>) =>
		async (asked: Asked, ...rest: Rest): Promise<PageResult> => {
			if (!asked.person.operator) throw missing();
			return await run(asked, ...rest);
		};
	const acts = Object.entries(screen.acts ?? {}).map(([name, act]) => [name, guarded(act)] as const);
	return { ...screen, get: guarded(screen.get), ...(screen.acts && { acts: Object.fromEntries(acts) }) };
}

interface OperatorPageProps {
	readonly screen: OperatorScreen;
	readonly title?: Text;
	readonly heading?: ReactNode;
	readonly scripts?: readonly ScriptName[];
	/** What stands for what was just done, where it is more than words. */
	readonly done?: ReactNode;
	readonly children: ReactNode;
}

export function operatorPage(visit: ConsoleVisit, { screen, title, done, children, ...rest }: OperatorPageProps): Page {
	const said = visit.done && (done ?? <Notice answers>{visit.done.what}</Notice>);
	return screenPage(
		{ ...visit, done: undefined },
		{
			...rest,
			title: title ?? wordOf(screen),
			operator: screen,
			language: "en",
			children: (
				<>
					{said}
					{children}
				</>
			),
		},
	);
}

/** A value of the address; undefined where there is none. */
export function asked({ url }: Pick<ConsoleVisit, "url">, name: string): string | undefined {
	return url.searchParams.get(name)?.trim() || undefined;
}

/** What was typed into a field; undefined for nothing. */
export function typed({ form }: Pick<ConsolePost, "form">, name: string): string | undefined {
	return form.get(name)?.trim() || undefined;
}

/** So that two clicks make one. */
export function once({ idempotencyKey }: ConsolePost): { readonly idempotencyKey?: string } {
	return idempotencyKey === undefined ? {} : { idempotencyKey };
}

/** Back to the screen, as it was asked for, which says what was done. */
export async function said(post: ConsolePost, what: string): Promise<PageResult> {
	await post.leave({ what });
	return redirect(post.url.pathname + post.url.search);
}

/** Why the form that was sent did nothing, where it stands in a line of many. */
export function refusal(refused: Refused | undefined): ReactNode {
	return refused && <Alert answers>{refused.error.message}</Alert>;
}

export function at(time: string): number {
	return Date.parse(time);
}

interface FacetsProps {
	readonly label: string;
	readonly here: string;
	/** The name in the address. */
	readonly name: string;
	readonly values: readonly string[];
	/** The one that is shown; the first unless said otherwise. */
	readonly value: string | undefined;
	/** A letter that leads to the next one. */
	readonly shortcut?: string;
}

/** Which part of a list is shown. */
export function Facets({ label, here, name, values, value = values[0], shortcut }: FacetsProps) {
	const next = values[(values.indexOf(value ?? "") + 1) % values.length];
	return (
		<nav className="facets" aria-label={label}>
			<ul>
				{values.map((one) => (
					<li key={one}>
						<a
							className={one === value ? "facet on" : "facet"}
							href={one === values[0] ? here : `${here}?${new URLSearchParams({ [name]: one })}`}
							aria-current={one === value ? "true" : undefined}
							data-keys={one === next ? shortcut : undefined}
						>
							{wordOf(one)}
						</a>
					</li>
				))}
			</ul>
		</nav>
	);
}

/** Words of lists as people read them. */
export function wordOf(word: string): string {
	return WORDS[word] ?? word.slice(0, 1).toUpperCase() + word.slice(1).replaceAll("_", " ");
}

const WORDS: Readonly<Record<string, string>> = { dmca: "DMCA", nsfw: "Flagged", terms: "Terms of service" };

/** Name and value, one a line. */
export function FactList({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
	return (
		<dl className="facts">
			{facts.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

/** Narrows a list by what is typed, as the API's `q`. */
export function Search({
	here,
	label,
	value,
}: {
	readonly here: string;
	readonly label: string;
	readonly value: string | undefined;
}) {
	return (
		<search>
			<form className="search" method="get" action={here}>
				<input type="search" name="q" data-keys="/" defaultValue={value} aria-label={label} placeholder={label} />
				<button className="quiet" type="submit">
					Search
				</button>
			</form>
		</search>
	);
}

interface ListedProps extends Omit<LinesProps, "caption"> {
	readonly visit: ConsoleVisit;
	readonly caption: string;
	/** Said where there is nothing. */
	readonly none: string;
	/** `next_cursor` of the list. */
	readonly next: string | null;
}

/** One page of a list, and what leads to the others. */
export function Listed({ visit, none, next, ...table }: ListedProps) {
	return (
		<>
			{table.lines.length === 0 ? <p className="empty soft">{none}</p> : <Lines {...table} />}
			<Pager visit={visit} next={next} />
		</>
	);
}
