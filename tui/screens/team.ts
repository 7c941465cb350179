import type { ConnectedUser, ManagedPlan, UserLimits } from "@svc/sdk/shapes";
import { priceText } from "../money.ts";
import { type AppThing, hasTiers, type KeyThing } from "../state/things.ts";
import { ageText, bytesText } from "../text.ts";
import { named, type Section, screenOf, type Tone } from "./describe.ts";

const limitText = (limit: number | null | undefined) => (limit === null ? "no limit" : countText(limit));
const countText = (count: number | undefined) => count?.toLocaleString("en") ?? "—";

const APP_SIGNS: Readonly<Record<string, readonly [string, Tone | undefined]>> = {
	active: ["○ active", undefined],
	paused: ["▣ paused", "warn"],
	blocked: ["⛒ blocked", "danger"],
};

/** Tiers limit neither images nor users. */
function termsOf(app: AppThing): Section["rows"] {
	const count = (kind: "images" | "users") => countText(app[kind]);
	if (hasTiers(app)) {
		return [
			["tier", app.plan],
			["images", count("images")],
			["users", count("users")],
		];
	}
	return [
		["plan", app.plan],
		["images", `${count("images")} of ${limitText(app.limits.images)}`],
		["users", `${count("users")} of ${limitText(app.limits.users)}`],
	];
}

/** What the storage of one user may hold. An older service knows no such limits. */
function userLimitsText(limits: UserLimits | undefined): string {
	const { images = null, bytes = null } = limits ?? {};
	const said = [
		...(images === null ? [] : [`${countText(images)} ${images === 1 ? "image" : "images"}`]),
		...(bytes === null ? [] : [bytesText(bytes)]),
	];
	return said.join(", ") || "any number";
}

export const apps = screenOf<AppThing>({
	object: "app",
	columns: [
		{
			title: "State",
			width: 10,
			text: ({ state }) => APP_SIGNS[state]?.[0] ?? state,
			tone: ({ state }) => APP_SIGNS[state]?.[1],
		},
		{ title: "Name", text: ({ name }) => name },
		{ title: "Plan", width: 10, text: ({ plan }) => plan },
		{ title: "Role", width: 7, text: ({ role }) => role ?? "—" },
		{ title: "Images", width: 8, text: ({ images }) => countText(images) },
		{ title: "Users", width: 7, more: true, text: ({ users }) => countText(users) },
		{ title: "Stored", width: 8, more: true, text: ({ bytes }) => (bytes === undefined ? "—" : bytesText(bytes)) },
		{ title: "Made", width: 8, more: true, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "Owner", width: 32, more: true, text: ({ owner }) => owner?.email ?? "—" },
	],
	empty: "There is no App. c makes one, as svc apps create does.",
	sections: (app, nowMs) => [
		{
			title: "App",
			rows: [
				["id", app.id],
				["name", app.name],
				["state", `${app.state}${app.block_reason ? ` for ${app.block_reason}` : ""}`],
				["owner", app.owner?.email ?? "—"],
				...termsOf(app),
				["bytes", app.bytes === undefined ? "—" : bytesText(app.bytes)],
				["sign-in", app.sign_in_enabled ? "on" : "off"],
				// An older service has no policy of delivery.
				["delivery", app.delivery ?? "—"],
				["selling", app.selling_enabled ? "on" : "off"],
				["free", userLimitsText(app.free_limits)],
				["made", ageText(app.created_at, nowMs)],
			],
		},
	],
});

export const keys = screenOf<KeyThing>({
	object: "key",
	columns: [
		{
			title: "State",
			width: 10,
			text: ({ revoked_at }) => (revoked_at === null ? "○ works" : "⛒ revoked"),
			tone: ({ revoked_at }) => (revoked_at === null ? undefined : "danger"),
		},
		{ title: "Name", text: ({ name }) => name },
		{ title: "Reach", width: 7, text: ({ reach }) => reach },
		{ title: "May", width: 11, text: ({ permissions }) => permissions.join("+") },
		{ title: "Last use", width: 9, text: ({ last_used_at }, nowMs) => ageText(last_used_at, nowMs) },
		{ title: "Made", width: 8, more: true, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{
			title: "Expires",
			width: 8,
			more: true,
			text: ({ expires_at }, nowMs) => (expires_at === null ? "never" : ageText(expires_at, nowMs)),
		},
		{ title: "Made by", width: 28, more: true, text: ({ creator_name, created_by }) => creator_name ?? created_by },
		{ title: "Key", width: 24, more: true, text: ({ prefix, last4 }) => `${prefix}…${last4}` },
	],
	empty: "This App has no key. c creates one, as svc keys create does.",
	sections: (key, nowMs) => [
		{
			title: "Key",
			rows: [
				["id", key.id],
				["name", key.name],
				["key", `${key.prefix}…${key.last4}`],
				["reach", key.reach],
				["may", key.permissions.join(", ")],
				["made", `${ageText(key.created_at, nowMs)} by ${named(key.creator_name, key.created_by)}`],
				["last use", ageText(key.last_used_at, nowMs)],
				["expires", key.expires_at === null ? "never" : ageText(key.expires_at, nowMs)],
				["revoked", key.revoked_at === null ? "no" : `${ageText(key.revoked_at, nowMs)}, ${key.revoke_reason ?? "—"}`],
				["successor", key.replaced_by ?? "—"],
			],
		},
	],
});

function accessText({ access }: ConnectedUser): string {
	if (access === null) return "the App sells nothing";
	const until = access.expires_at === null ? "" : `, until ${access.expires_at.slice(0, "2026-11-24".length)}`;
	return `${access.plan_key ?? "no plan"} (${access.status})${until}`;
}

export const users = screenOf<ConnectedUser>({
	object: "connected_user",
	columns: [
		{ title: "State", width: 14, text: ({ state }) => (state === "connected" ? "○ connected" : `… ${state}`) },
		{ title: "E-mail", text: ({ email }) => email },
		{ title: "Images", width: 8, text: ({ images }) => countText(images) },
		{ title: "Since", width: 9, text: ({ created_at }, nowMs) => ageText(created_at, nowMs) },
		{ title: "Stored", width: 8, more: true, text: ({ bytes }) => bytesText(bytes) },
		{ title: "Plan", width: 16, more: true, text: ({ access }) => access?.plan_key ?? "—" },
	],
	empty: "Nobody is connected to this App. Its users connect themselves; r looks again.",
	sections: (user, nowMs) => [
		{
			title: "Connected user",
			rows: [
				["id", user.id],
				["e-mail", `${user.email}${user.verified ? "" : " (not verified)"}`],
				["state", user.state],
				["images", countText(user.images)],
				["bytes", bytesText(user.bytes)],
				["since", ageText(user.created_at, nowMs)],
				["access", accessText(user)],
			],
		},
	],
});

export const plans = screenOf<ManagedPlan>({
	object: "plan",
	columns: [
		{ title: "State", width: 11, text: ({ archived_at }) => (archived_at === null ? "○ on sale" : "⛒ archived") },
		{ title: "Key", width: 16, text: ({ key }) => key },
		{ title: "Name", text: ({ name }) => name },
		{ title: "Prices", width: 6, text: ({ prices }) => String(prices.length) },
		{
			title: "On sale for",
			width: 48,
			more: true,
			text: ({ prices }) =>
				prices
					.filter(({ on_sale }) => on_sale)
					.map(priceText)
					.join(", "),
		},
	],
	empty: "This App has no plan. c makes one, as svc plans create does.",
	sections: (plan, nowMs) => [
		{
			title: "Plan",
			rows: [
				["id", plan.id],
				["key", plan.key],
				["name", plan.name],
				["about", plan.description || "—"],
				["benefits", plan.benefits.join("; ") || "—"],
				["keeps", userLimitsText(plan.limits)],
				["made", ageText(plan.created_at, nowMs)],
			],
		},
		{
			title: `Prices: ${plan.prices.length}`,
			rows: plan.prices.map((price): [string, string] => [
				price.on_sale ? "on sale" : "withdrawn",
				`${priceText(price)}${price.trial_days > 0 ? `, ${price.trial_days} days free` : ""}`,
			]),
		},
	],
});
