import type { CountedApp, Membership } from "@svc/apps/app-record";
import { requireScope } from "@svc/people/people";
import { about, integer, named } from "@svc/variants/shape";
import * as v from "valibot";
import { encodeManagedKey, managedKeySchema } from "../keys/key.ts";
import { includeParameter, readInclude } from "../kit/include.ts";
import type { AppCall } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { encodeEndpoint, endpointSchema } from "../webhooks/webhook-document.ts";

/* What an App may be asked to tell besides: how much it holds, and what of it needs somebody. */

const DAY_MS = 86_400_000;
/** A key that ends within these days needs somebody. */
const SOON_DAYS = 14;
const SHOWN = 20;

const usageSchema = named("AppHolds", v.object({ images: integer, bytes: integer, users: integer }));
const needsSchema = named(
	"AppNeeds",
	v.object({
		newest_key: about(v.nullable(managedKeySchema), "The newest key that works; null: a program needs one."),
		ending_keys: about(v.array(managedKeySchema), `Keys that end within ${SOON_DAYS} days, at most ${SHOWN}.`),
		stopped_endpoints: about(
			v.array(endpointSchema),
			`Webhook endpoints that were switched off because nothing could be delivered, at most ${SHOWN}.`,
		),
	}),
);

/** What an App has only where it was asked for. */
export const includedEntries = {
	usage: about(v.optional(usageSchema), "In a list, with `include=usage`: what all of its storages hold."),
	needs: about(v.optional(needsSchema), "Of one App, with `include=needs`: what needs somebody."),
};

const USAGE = includeParameter(["usage"], "usage: how many images, bytes and users each has");
const NEEDS = includeParameter(["needs"], "needs: keys that end soon, webhook endpoints that were switched off");

/** What a list of Apps, and one App, may be asked for besides; interfaces of before know none. */
export function includesOf({ variant: { lists } }: ApiRooms) {
	return lists.filters === "all" ? { ofList: [USAGE], ofOne: [NEEDS] } : { ofList: [], ofOne: [] };
}

/** A list as it was asked for. @throws Failure validation_error under `include` */
export function withUsage(rows: readonly CountedApp[], include: string | undefined) {
	const isAsked = include !== undefined && readInclude(new URLSearchParams({ include }), ["usage"]).has("usage");
	return isAsked ? rows : rows.map(({ usage: _, ...row }) => row);
}

/**
 * What needs somebody, where a call asks for it.
 * @throws Failure validation_error under `include`; forbidden for a token that may not read keys and endpoints
 */
export async function findNeeds(
	rooms: ApiRooms,
	{ app, person, url, by: { nowMs } }: AppCall & Pick<Membership, "app">,
): Promise<{ readonly needs?: v.InferOutput<typeof needsSchema> }> {
	const knows = includesOf(rooms).ofOne.length > 0;
	if (!knows || !readInclude(url.searchParams, ["needs"]).has("needs")) return {};
	for (const scope of ["keys:read", "events:read"] as const) requireScope(person, scope);
	const endMs = nowMs + SOON_DAYS * DAY_MS;
	const [keys, endpoints] = await Promise.all([
		rooms.keys.appKeys.listEnding(app.pk, { nowMs, endMs, limit: SHOWN + 1 }),
		rooms.webhooks.endpoints.listStopped(app.pk, SHOWN),
	]);
	const [newest] = keys;
	const ending = keys.filter(({ expiresMs }) => expiresMs !== null && expiresMs < endMs);
	return {
		needs: {
			newest_key: newest ? encodeManagedKey(newest) : null,
			ending_keys: ending.slice(0, SHOWN).map(encodeManagedKey),
			stopped_endpoints: endpoints.map(encodeEndpoint),
		},
	};
}
