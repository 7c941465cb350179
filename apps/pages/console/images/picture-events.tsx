import type { Event } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import { type ConsoleVisit, clientOf } from "../kit/visit.ts";
import { t } from "../messages.ts";

/** What happened to a picture in the last 30 days, the newest first; undefined where the address does not ask for it. */
export async function readEvents(
	visit: ConsoleVisit,
	storage: string | undefined,
): Promise<readonly Event[] | undefined> {
	if (!visit.url.searchParams.has("events")) return undefined;
	const { app = "", image } = visit.params;
	return (await clientOf(visit, app, storage).events.list({ image, order: "desc", limit: 100 })).data;
}

interface EventsProps {
	readonly events: readonly Event[] | undefined;
	/** The picture's address. */
	readonly here: string;
}

export function Events({ events, here }: EventsProps) {
	if (!events) {
		return (
			<p>
				<a href={`${here}${here.includes("?") ? "&" : "?"}events=1`}>{t("events")}</a>
			</p>
		);
	}
	return (
		<section className="rows" aria-labelledby="events">
			<h2 id="events">{t("events")}</h2>
			<ul className="lines">
				{events.map(({ id, type, created_at, data }) => (
					<li key={id}>
						<span>
							<code>{type}</code> {Object.keys(data.previous ?? {}).join(", ")}
						</span>
						<span className="soft">
							<Moment ms={Date.parse(created_at)} />
						</span>
					</li>
				))}
			</ul>
		</section>
	);
}
