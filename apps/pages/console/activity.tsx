import type { AuditEntry, Member } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { Moment } from "../kit/parts.tsx";
import { type Text, usePlain } from "../kit/text.ts";
import type { Page } from "../kit/visit.ts";
import { screenPage } from "./kit/frame.tsx";
import { Lines } from "./kit/lines.tsx";
import { News } from "./kit/news.tsx";
import { Pager } from "./kit/pager.tsx";
import type { ConsoleVisit, Screen } from "./kit/visit.ts";
import texts from "./messages/en.json" with { type: "json" };
import { t } from "./messages.ts";

/* The audit of an App: what was done, by whom, to what. */

export const activityScreen: Screen = { path: "/:app/activity", get: showActivity };

async function showActivity(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const read = (name: string) => visit.url.searchParams.get(name)?.trim() || undefined;
	const filter = { actor: read("actor"), event: read("event"), since: read("since") };
	const calls = visit.api.apps.of(id);
	const [app, members, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		calls.members.list({ limit: 100 }),
		calls.audit.list({ ...given(filter), cursor: read("cursor") }),
	]);
	const children = (
		<>
			<News app={app} here={`/console/${app.id}/activity`} count="events" text={t("live.activity")} />
			<Filter here={`/console/${app.id}/activity`} filter={filter} members={members.data} />
			{data.length === 0 ? (
				<p className="empty soft">{t("activity.none")}</p>
			) : (
				<Entries entries={data} members={members.data} />
			)}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("activity"), app, screen: "activity", children });
}

const WORDS = "event.";
/** What the audit of an App says, as far as there are words for it. */
const EVENTS = Object.keys(texts)
	.filter((name) => name.startsWith(WORDS))
	.map((name) => name.slice(WORDS.length));

/** An event that another release has left is shown by its name. */
function wordsOf(event: string): Text {
	return EVENTS.includes(event) ? t(`event.${event}` as "event.app.created") : event;
}

type Filtered = Readonly<Record<"actor" | "event" | "since", string | undefined>>;

/** What the filter says. */
function given(filter: Filtered): Partial<Record<keyof Filtered, string>> {
	return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

interface FilterProps {
	readonly here: string;
	readonly filter: Filtered;
	readonly members: readonly Member[];
}

function Filter({ here, filter: { actor, event, since }, members }: FilterProps) {
	const say = usePlain();
	const isMember = members.some(({ account_id }) => account_id === actor);
	return (
		<search>
			<form className="search" method="get" action={here}>
				<select name="actor" defaultValue={actor ?? ""} aria-label={say(t("activity.who"))}>
					<option value="">{t("activity.anybody")}</option>
					{members.map(({ account_id, email }) => (
						<option key={account_id} value={account_id}>
							{email}
						</option>
					))}
					{actor !== undefined && !isMember && <option value={actor}>{actor}</option>}
				</select>
				<select name="event" data-keys="/" defaultValue={event ?? ""} aria-label={say(t("activity.what"))}>
					<option value="">{t("activity.anything")}</option>
					{EVENTS.map((one) => (
						<option key={one} value={one}>
							{wordsOf(one)}
						</option>
					))}
					{event !== undefined && !EVENTS.includes(event) && <option value={event}>{event}</option>}
				</select>
				<input type="date" name="since" defaultValue={since} aria-label={say(t("activity.since"))} />
				<button className="quiet" type="submit">
					{t("search")}
				</button>
			</form>
		</search>
	);
}

interface EntriesProps {
	readonly entries: readonly AuditEntry[];
	readonly members: readonly Member[];
}

function Entries({ entries, members }: EntriesProps) {
	const emails = new Map(members.map(({ account_id, email }) => [account_id, email]));
	const lines = entries.map(({ id, actor, event, target, changes, created_at }) => ({
		id,
		cells: [
			<div key="what">
				<strong title={event}>{wordsOf(event)}</strong>
				{changes !== null && <Changes changes={changes} />}
			</div>,
			<a key="who" href={`?${new URLSearchParams({ actor })}`}>
				<bdi>{emails.get(actor) ?? actor}</bdi>
			</a>,
			target === null ? "" : <code key="to">{target}</code>,
			<Moment key="when" ms={Date.parse(created_at)} />,
		],
	}));
	const columns = [t("activity.what"), t("activity.who"), t("activity.target"), t("activity.when")];
	return <Lines caption={t("activity")} columns={columns} lines={lines} />;
}

function Changes({ changes }: { readonly changes: Readonly<Record<string, unknown>> }): ReactNode {
	const said = Object.entries(changes).map(([name, value]) => `${name}: ${textOf(value)}`);
	return (
		<span className="fine changes">
			<bdi>{said.join(" · ")}</bdi>
		</span>
	);
}

function textOf(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}
