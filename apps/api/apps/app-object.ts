import { APP_STATES, type AppRecord, stateOf } from "@svc/apps/apps";

import { imagesLimit, usersLimit } from "@svc/images/usage";

import { about, appPlan, dateTime, integer, named, oneOf } from "@svc/variants/shape";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

const limit = about(v.nullable(integer), "Null: no limit.");

export const limitsSchema = named("AppLimits", v.object({ images: limit, users: limit }));

export const appReference = named(
	"AppReference",
	v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
);

export function encodeReference({ id, name }: Pick<AppRecord, "id" | "name">): v.InferOutput<typeof appReference> {
	return { id, object: "app", name };
}

export const appState = oneOf("AppState", APP_STATES);

/** What an App shows of itself to its team and to operators. */
export const appEntries = {
	id: v.string(),
	object: v.literal("app"),
	name: v.string(),
	state: appState,
	paused_at: v.nullable(dateTime),
	blocked_at: v.nullable(dateTime),
	sign_in_enabled: v.boolean(),
	selling_enabled: v.boolean(),
	plan: appPlan,
	limits: about(limitsSchema, "What counts: the plan's, or what operators set."),
	created_at: dateTime,
};
const schema = v.object(appEntries);

export function encodeApp(app: AppRecord): v.InferOutput<typeof schema> {
	return {
		id: app.id,
		object: "app",
		name: app.name,
		state: stateOf(app),
		paused_at: isoDate(app.pausedMs),
		blocked_at: isoDate(app.blockedMs),
		sign_in_enabled: app.signIn,
		selling_enabled: app.selling,
		plan: app.plan,
		limits: { images: imagesLimit(app), users: usersLimit(app) },
		created_at: isoDate(app.createdMs),
	};
}
