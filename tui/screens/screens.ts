import { APP } from "@svc/nouns/app";
import { AUDIT_ENTRY, TRASHED_BLOB } from "@svc/nouns/audit";
import { PRESET, SIGNING_KEY } from "@svc/nouns/delivery";
import { EVENT } from "@svc/nouns/event";
import { IMAGE } from "@svc/nouns/image";
import { KEY } from "@svc/nouns/key";
import { MODERATION_ITEM } from "@svc/nouns/moderation";
import { PLAN } from "@svc/nouns/plan";
import { TICKET } from "@svc/nouns/ticket";
import { USER } from "@svc/nouns/user";
import { DELIVERY, WEBHOOK } from "@svc/nouns/webhook";
import type { ScreenName } from "../state/screens.ts";
import { type Screen, screenOf } from "./describe.ts";
import { subscriptions } from "./subscriptions.ts";
import { GAUGE } from "./usage.ts";

export const DESCRIPTIONS: Record<ScreenName, Screen> = {
	moderation: screenOf("moderation_item", MODERATION_ITEM),
	apps: screenOf("app", APP),
	keys: screenOf("key", KEY),
	users: screenOf("connected_user", USER),
	plans: screenOf("plan", PLAN),
	usage: screenOf("gauge", GAUGE),
	audit: screenOf("audit_entry", AUDIT_ENTRY),
	trash: screenOf("trashed_blob", TRASHED_BLOB),
	images: screenOf("image", IMAGE),
	subscriptions,
	events: screenOf("event", EVENT),
	webhooks: screenOf("webhook_endpoint", WEBHOOK),
	deliveries: screenOf("webhook_delivery", DELIVERY),
	tickets: screenOf("upload_ticket", TICKET),
	presets: screenOf("preset", PRESET),
	"signing-keys": screenOf("signing_key", SIGNING_KEY),
};
