import { Moment } from "../../kit/parts.tsx";
import type { Page } from "../../kit/visit.ts";
import { CodeBlock } from "../kit/copy-button.tsx";
import { Fact } from "../kit/facts.tsx";
import { screenPage } from "../kit/frame.tsx";
import { type ConsoleVisit, clientOf, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { Subject } from "./events.tsx";

/* One event, as programs read it. */

export const eventScreen: Screen = { path: "/:app/events/:event", get: showEvent };

async function showEvent(visit: ConsoleVisit): Promise<Page> {
	const { app: appId = "", event: id = "" } = visit.params;
	const [app, event] = await Promise.all([visit.api.apps.get(appId), clientOf(visit, appId).events.get(id)]);
	const children = (
		<div className="card">
			<dl className="facts">
				<Fact name={t("activity.when")}>
					<Moment ms={Date.parse(event.created_at)} />
				</Fact>
				<Fact name={t("activity.target")}>
					<Subject app={app} of={event} />
				</Fact>
				<Fact name={t("id")}>
					<code>{event.id}</code>
				</Fact>
			</dl>
			<CodeBlock id="event">{JSON.stringify(event, null, 2)}</CodeBlock>
		</div>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/events`}>
				← {t("events")}
			</a>
			<h1>{event.type}</h1>
		</div>
	);
	return screenPage(visit, { title: event.type, heading, app, screen: "events", scripts: ["copy"], children });
}
