import { apps } from "@svc/base/database/schema/apps";
import { newEvent, ON_CHANGE } from "@svc/events/event-entries-store";
import { snapshotOf } from "@svc/events/snapshots-store";
import { getTableColumns, type SQL, sql } from "drizzle-orm";

/** What its event keeps of an App. */
export const appKept = getTableColumns(apps);

type AppEventType = "app.paused" | "app.resumed" | "app.blocked" | "app.unblocked";

/** The event of an App, behind the step that audits the change: where that wrote nothing, neither does this. */
export function appEvent(
	occasion: Parameters<typeof newEvent>[0],
	type: AppEventType,
	appPk: number | SQL,
): { readonly run: SQL } {
	const data = sql`json_object('object', ${snapshotOf(appKept)})`;
	const event = { type, appPk: apps.pk, userId: null, subject: apps.id, data };
	return newEvent(occasion, event, sql`FROM ${apps} ${ON_CHANGE} AND ${apps.pk} = ${appPk}`);
}
