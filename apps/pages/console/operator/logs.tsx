import { LOG_LEVELS } from "@svc/sdk/lists";
import { Moment } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import type { ConsoleVisit, Screen } from "../kit/visit.ts";
import { textOf } from "./jobs.tsx";
import { asked, at, Facets, Listed, OPERATOR, operatorPage, wordOf } from "./operator.tsx";

/* What the process that answers has logged, and what was done in the whole service, by whom. */

export const logsScreen: Screen = {
	path: "/operator/logs",
	get: (visit) => (asked(visit, "of") === AUDIT ? showAudit(visit) : showLines(visit)),
};

const HERE = `${OPERATOR}/logs`;
const AUDIT = "audit";
const PAGE_SIZE = 100;

function Parts({ of }: { readonly of: string | undefined }) {
	return <Facets label="What is shown" here={HERE} name="of" values={["lines", AUDIT]} value={of} shortcut="s" />;
}

async function showLines(visit: ConsoleVisit): Promise<PageResult> {
	const level = asked(visit, "level");
	const { data } = await visit.api.operator.logs({
		limit: PAGE_SIZE,
		...(level !== undefined && { level: level as "info" }),
	});
	const lines = data.toReversed().map(({ at: time, level: of, message, facts }, place) => ({
		id: `${time} ${place}`,
		cells: [
			<span key="what">{message}</span>,
			wordOf(of),
			<Facts key="facts" of={facts} />,
			<time key="at" dateTime={time}>
				{time}
			</time>,
		],
	}));
	const columns = ["What", "Level", "About", "When"];
	return operatorPage(visit, {
		screen: "logs",
		children: (
			<>
				<Parts of={undefined} />
				<p className="soft">The last lines of the process that answers, the newest first. It keeps 1,000.</p>
				<Facets label="Levels" here={HERE} name="level" values={LOG_LEVELS} value={level} />
				<Listed {...{ visit, columns, lines }} caption="Lines of the log" none="Nothing was logged." next={null} />
			</>
		),
	});
}

function Facts({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
	const said = Object.entries(of).map(([name, value]) => `${name}: ${textOf(value)}`);
	return (
		<span className="fine changes">
			<bdi>{said.join(" · ")}</bdi>
		</span>
	);
}

/** What narrows the audit, by its name in the address. */
const FILTERS = {
	actor: "Who: an id",
	event: "What: as key.revoked",
	app: "App: an id",
	since: "Since: a day",
} as const;

async function showAudit(visit: ConsoleVisit): Promise<PageResult> {
	const names = Object.keys(FILTERS) as (keyof typeof FILTERS)[];
	const filter = names.flatMap((name) => {
		const value = asked(visit, name);
		return value === undefined ? [] : [[name, value] as const];
	});
	const { data, pagination } = await visit.api.operator.audit.list({
		cursor: asked(visit, "cursor"),
		...Object.fromEntries(filter),
	});
	const lines = data.map(({ id, actor, event, target, changes, created_at }) => ({
		id,
		cells: [
			<strong key="what">{event}</strong>,
			<code key="who">{actor}</code>,
			<code key="to">{target ?? ""}</code>,
			<Facts key="changes" of={changes ?? {}} />,
			<Moment key="at" ms={at(created_at)} />,
		],
	}));
	const columns = ["What", "Who", "To what", "Changes", "When"];
	return operatorPage(visit, {
		screen: "logs",
		children: (
			<>
				<Parts of={AUDIT} />
				<search>
					<form className="search" method="get" action={HERE}>
						<input type="hidden" name="of" value={AUDIT} />
						{names.map((name) => (
							<input
								key={name}
								type={name === "since" ? "date" : "search"}
								name={name}
								defaultValue={asked(visit, name)}
								aria-label={FILTERS[name]}
								placeholder={FILTERS[name]}
							/>
						))}
						<button className="quiet" type="submit">
							Search
						</button>
					</form>
				</search>
				<Listed
					{...{ visit, columns, lines }}
					caption="Audit"
					none="Nothing that fits."
					next={pagination.next_cursor}
				/>
			</>
		),
	});
}
