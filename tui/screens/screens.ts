import type { ScreenName } from "../state/screens.ts";
import { presets, signingKeys } from "./delivery.ts";
import type { Screen } from "./describe.ts";
import { images } from "./images.ts";
import { moderation } from "./moderation.ts";
import { events, tickets } from "./platform.ts";
import { audit, trash, usage } from "./service.ts";
import { subscriptions } from "./subscriptions.ts";
import { apps, keys, plans, users } from "./team.ts";
import { deliveries, webhooks } from "./webhooks.ts";

export const DESCRIPTIONS: Record<ScreenName, Screen> = {
	moderation,
	apps,
	keys,
	users,
	plans,
	usage,
	audit,
	trash,
	images,
	subscriptions,
	events,
	webhooks,
	deliveries,
	tickets,
	presets,
	"signing-keys": signingKeys,
};
