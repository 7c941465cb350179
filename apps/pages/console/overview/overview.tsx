import type { App, AppNeeds, Usage, UsageRow } from "@svc/sdk/shapes";
import type { ReactNode } from "react";
import { fileSize, numberText } from "../../kit/parts.tsx";
import type { Page } from "../../kit/visit.ts";
import { FirstSteps } from "../first/first-steps.tsx";
import { endsSoon, isLive } from "../keys/key-life.ts";
import { screenPage } from "../kit/frame.tsx";
import { feedOf } from "../kit/news.tsx";
import { type ConsoleVisit, clientOf, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { Days } from "./days.tsx";
import { Needs } from "./needs.tsx";

/* How an App does: what needs somebody, what was served lately, and how much room is left. */

export const overviewScreen: Screen = { path: "/:app", get: showOverview };

const DAYS = 30;

async function showOverview(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const client = clientOf(visit, id);
	// Older interfaces count no days, and say of an App nothing that needs somebody.
	const isOlder = visit.includes.length === 0;
	const [app, usage, days, needs] = await Promise.all([
		visit.api.apps.get(id, isOlder ? {} : { include: "needs" }),
		client.usage.get(),
		isOlder ? [] : client.usage.daily.list({ scope: "app", limit: DAYS }).then(({ data }) => data),
		isOlder ? olderNeeds(visit, id) : undefined,
	]);
	const { newest_key, ...wanting } = needs ?? app.needs ?? NOTHING;
	const isNew = isEmpty(usage, days);
	const children = (
		<>
			<span hidden data-live="again" data-feed={feedOf(app)} />
			<Needs app={app} usage={usage} {...wanting} />
			{isNew && <FirstSteps visit={visit} app={app} keyName={newest_key?.name} />}
			{days.length > 0 && <Days days={days} />}
			<Limits app={app} usage={usage} />
		</>
	);
	return screenPage(visit, {
		title: t("overview"),
		app,
		screen: "overview",
		scripts: isNew ? ["drop", "copy"] : [],
		children,
	});
}

const NOTHING: AppNeeds = { newest_key: null, ending_keys: [], stopped_endpoints: [] };

async function olderNeeds({ api, nowMs }: ConsoleVisit, app: string): Promise<AppNeeds> {
	const { data } = await api.apps.of(app).keys.list({ limit: 100 });
	const newest = data.find((key) => isLive(key, nowMs)) ?? null;
	return { ...NOTHING, newest_key: newest, ending_keys: data.filter((key) => endsSoon(key, nowMs)) };
}

function isEmpty({ totals, limits }: Usage, days: readonly UsageRow[]): boolean {
	const kept = limits?.images.used ?? totals.images_stored;
	return kept === 0 && days.every(({ uploads }) => uploads === 0);
}

function Limits({ app, usage: { limits, monthly, totals } }: { readonly app: App; readonly usage: Usage }) {
	const used = (now: number | null, limit: number | null, say: (value: number) => ReactNode): ReactNode => (
		<>
			{say(now ?? 0)} {limit !== null && <span className="soft">/ {say(limit)}</span>}
		</>
	);
	return (
		<section className="card" aria-labelledby="limits">
			<h2 id="limits">{t("limits")}</h2>
			<dl className="facts">
				<div>
					<dt>{t("settings.plan")}</dt>
					<dd>{app.plan}</dd>
				</div>
				{limits && (
					<>
						<div>
							<dt>{t("images")}</dt>
							<dd>{used(limits.images.used, limits.images.limit, numberText)}</dd>
						</div>
						<div>
							<dt>{t("users")}</dt>
							<dd>{used(limits.users.used, limits.users.limit, numberText)}</dd>
						</div>
					</>
				)}
				<div>
					<dt>{t("limits.storage")}</dt>
					<dd>{used(totals.storage_used_bytes, totals.storage_limit_bytes, fileSize)}</dd>
				</div>
				<div>
					<dt>{t("limits.uploads")}</dt>
					<dd>{used(monthly.uploads, monthly.uploads_limit, numberText)}</dd>
				</div>
			</dl>
		</section>
	);
}
