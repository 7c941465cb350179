import type { App, Event } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import type { Page } from "../../kit/visit.ts";
import { asked, Narrow, TypeChoice } from "../kit/choice.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Lines } from "../kit/lines.tsx";
import { feedOf } from "../kit/news.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsoleVisit, clientOf, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";

/* The feed of an App, the newest first. Its first page goes on by itself while it is seen. */

export const eventsScreen: Screen = { path: "/:app/events", get: showEvents };

const SHOWN = 50;

async function showEvents(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const { types, cursor } = asked(visit.url, "types", "cursor");
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		clientOf(visit, id).events.list({ types: types?.split(","), after: cursor, order: "desc", limit: SHOWN }),
	]);
	const here = `/console/${app.id}/events`;
	const children = (
		<>
			{cursor === undefined && <span hidden data-live="again" data-feed={feedOf(app)} />}
			<p className="soft">{t("events.about")}</p>
			<Narrow here={here}>
				<TypeChoice value={types} />
			</Narrow>
			{data.length > 0 ? <Feed app={app} events={data} /> : <p className="empty soft">{t("events.none")}</p>}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("events"), app, screen: "events", children });
}

function Feed({ app, events }: { readonly app: App; readonly events: readonly Event[] }) {
	const lines = events.map((event) => ({
		id: event.id,
		cells: [
			<a key="type" href={`/console/${app.id}/events/${event.id}`}>
				<code>{event.type}</code>
			</a>,
			<Subject key="about" app={app} of={event} />,
			Object.keys(event.data.previous ?? {}).join(", "),
			<Moment key="when" ms={Date.parse(event.created_at)} />,
		],
	}));
	const columns = [t("events.type"), t("activity.target"), t("events.changed"), t("activity.when")];
	return <Lines caption={t("events")} columns={columns} lines={lines} />;
}

interface SubjectProps {
	readonly app: Pick<App, "id">;
	readonly of: Event;
}

/** What it is about, with the way to it where the console shows it. A billing status has no id: it is its user's. */
export function Subject({ app, of: { user_id, data } }: SubjectProps) {
	const id = data.object.id ?? user_id ?? "";
	const path = pathOf(id, user_id);
	if (path === undefined) return <code>{id}</code>;
	return (
		<a href={`/console/${app.id}${path}`}>
			<code>{id}</code>
		</a>
	);
}

function pathOf(id: string, user: string | null): string | undefined {
	if (id.startsWith("img_")) return `/images/${id}${user === null ? "" : `?storage=${user}`}`;
	if (id.startsWith("usr_")) return `/users/${id}`;
	if (id.startsWith("whe_")) return `/webhooks/${id}`;
	return undefined;
}
