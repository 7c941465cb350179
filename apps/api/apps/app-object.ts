import { APP_STATES, type AppRecord, stateOf } from "@svc/apps/apps";
import { APP_PLAN_NAMES } from "@svc/base/enumerations";
import { imagesLimit, usersLimit } from "@svc/images/usage";
import * as v from "valibot";
import { isoDate } from "../kit/dates.ts";

const limit = v.nullable(v.pipe(v.number(), v.integer()));

/** Numbers of images and users; null: no limit. */
export const limitsSchema = v.object({ images: limit, users: limit });

/** What an App shows of itself to its team and to operators. */
export const appEntries = {
	id: v.string(),
	object: v.literal("app"),
	name: v.string(),
	state: v.picklist(APP_STATES),
	paused_at: v.nullable(v.string()),
	blocked_at: v.nullable(v.string()),
	sign_in_enabled: v.boolean(),
	selling_enabled: v.boolean(),
	plan: v.picklist(APP_PLAN_NAMES),
	/** What counts. */
	limits: limitsSchema,
	created_at: v.string(),
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
