import { DELIVERY_POLICIES } from "@svc/sdk/lists";
import type { App, AppTax, OperatedApp, UserLimits } from "@svc/sdk/shapes";
import { noun, signedBy } from "./noun.ts";
import type { Setting } from "./setting.ts";
import { bytesText, countText } from "./words.ts";

/** An App, as its team or as an operator sees it. */
export type AppThing = Omit<App, "role"> & Partial<Pick<App, "role"> & Omit<OperatedApp, keyof App>>;

/** An older service sells tiers: they limit uploads and bytes, and no images and users. */
export function hasTiers({ plan, limits }: Pick<App, "plan" | "limits">): boolean {
	return plan !== "unlimited" && limits.images === null && limits.users === null;
}

export const APP = noun<AppThing>()({
	fields: {
		id: {},
		name: { shrinks: true, title: "Name" },
		state: {
			title: "State",
			width: 10,
			...signedBy("state", {
				active: ["○ active", undefined],
				paused: ["▣ paused", "warn"],
				blocked: ["⛒ blocked", "danger"],
			}),
			line: ({ state, block_reason: reason }) => `${state}${reason ? ` for ${reason}` : ""}`,
		},
		role: { title: "Role", width: 7 },
		plan: { title: "Plan", width: 10, label: (app) => (hasTiers(app) ? "tier" : "plan") },
		sign_in: { kind: "switch", value: ({ sign_in_enabled: is }) => is, label: "sign-in" },
		created_at: { kind: "time", title: "Made", width: 8, more: true, label: "made" },
		selling: { kind: "switch", value: ({ selling_enabled: is }) => is },
		images_limit: { value: ({ limits }) => limits.images ?? "none" },
		users_limit: { value: ({ limits }) => limits.users ?? "none" },
		paused_at: { kind: "time" },
		blocked_at: { kind: "time" },
		profile: { value: profileWords },
		// An older service takes no tax.
		tax: { value: ({ tax }: Partial<AppThing>) => (tax?.mode === "automatic" ? tax.behavior : "none") },
		promotion_codes: { kind: "switch" },
		// An older service has no policy of delivery.
		delivery: {},
		delivery_referrers: {
			value: ({ delivery_referrers: hosts }: Partial<AppThing>) => hosts && (hosts.join(" ") || "any page"),
			label: "referrers",
		},
		delivery_limits: {
			value: ({ delivery_limits: limits }: Partial<AppThing>) =>
				limits && `bytes=${limits.bytes ?? "none"} renditions=${limits.renditions ?? "none"}`,
			label: "a day",
		},
		image_host: {
			value: ({ image_host: own }: Partial<AppThing>) => own && `${own.host} ${own.state}`,
			label: "image host",
		},
		image_host_record: {
			value: ({ image_host: own }: Partial<AppThing>) => own && `${own.record.name} TXT ${own.record.value}`,
			label: "DNS record",
		},
		free_limits: {
			value: ({ free_limits: limits }) => limitWords(limits),
			label: "free",
			line: ({ free_limits: limits }) => userLimitsText(limits),
		},
		selling_enabled: { hidden: true },
		block_reason: { hidden: true },
		owner: { value: ({ owner }) => owner?.email, shrinks: true, worth: 1, title: "Owner", width: 32, more: true },
		images: { kind: "count", worth: 1, title: "Images", width: 8, line: (app) => ofLimit("images", app) },
		users: { kind: "count", title: "Users", width: 7, more: true, line: (app) => ofLimit("users", app) },
		bytes: { kind: "bytes", title: "Stored", width: 8, more: true },
	},
	list: ["id", "name", "state", "role", "plan", "sign_in", "created_at"],
	detail: [
		...["selling", "images_limit", "users_limit", "paused_at", "blocked_at", "profile", "tax", "promotion_codes"],
		...["delivery", "delivery_referrers", "delivery_limits", "image_host", "image_host_record", "free_limits"],
	] as const,
	dashboard: {
		title: "App",
		empty: "There is no App. c makes one, as svc apps create does.",
		columns: ["state", "name", "plan", "role", "images", "users", "bytes", "created_at", "owner"],
		lines: [
			...["id", "name", "state", "owner", "plan", "images", "users", "bytes", "sign_in", "delivery", "selling"],
			...["delivery_referrers", "delivery_limits", "image_host", "image_host_record", "free_limits", "created_at"],
		] as const,
	},
});

const freeLimit = (kind: "images" | "bytes", description: string): Setting => ({
	...{ name: `free_limits.${kind}`, sent: `freeLimits.${kind}`, kind: "number", option: `free-${kind}`, description },
	label: `Free ${kind}`,
	hint: "What each user without a plan may keep; left empty, there is no limit",
	unit: kind,
});
const deliveryLimit = (kind: "bytes" | "renditions", description: string): Setting => ({
	...{ name: `delivery_limits.${kind}`, sent: `deliveryLimits.${kind}`, kind: "number", description },
	...{ option: `day-${kind}`, label: `A day's ${kind}`, unit: kind },
	hint: "What is above it is refused until the next day; left empty, there is no limit",
});
const text = { kind: "text", isCleared: true } as const;
const MODES = ["none", "automatic"] as const satisfies readonly AppTax["mode"][];
const BEHAVIORS = ["inclusive", "exclusive"] as const satisfies readonly AppTax["behavior"][];

/** What those who run an App set; its Owner alone: tax, promotion codes and the image host. */
export const APP_SETTINGS: readonly Setting[] = [
	{
		...{ name: "name", kind: "text", option: "name", description: "What the App is called" },
		...{ label: "Name", hint: "What people read who sign in; 1 to 100 characters" },
	},
	{
		...{ name: "sign_in_enabled", sent: "signInEnabled", kind: "switch", option: "sign-in", label: "Sign-in" },
		description: "Whether people may connect to the App",
	},
	{
		...{ name: "delivery", kind: "choice", choices: DELIVERY_POLICIES, option: "delivery", label: "Delivery" },
		description: "Which addresses of its images are answered",
		hint: "Answered addresses: all (open), those of presets, or those that a key of the App signed",
	},
	freeLimit("images", "Most images of a user without a plan; none for any number"),
	freeLimit("bytes", "Most bytes of a user without a plan, such as 1000000000; or none"),
	{
		...{ name: "delivery_referrers", sent: "deliveryReferrers", kind: "list", option: "referrers", label: "Referrers" },
		valueHint: "hosts",
		description: "Hosts whose pages may show its images, with commas between them",
		hint: "Such as example.com, *.example.com; left empty, every page may show the App's images",
	},
	deliveryLimit("bytes", "Most bytes of its images that are served in a day; or none"),
	deliveryLimit("renditions", "Most renditions of its images that are made in a day; or none"),
	{
		...{
			...text,
			name: "image_host",
			now: "image_host.host",
			sent: "imageHost",
			option: "image-host",
			valueHint: "host",
			label: "Image host",
		},
		description: "A host of its own for its images, such as img.example.com; its DNS record is shown",
		hint: "Such as img.example.com; left empty, its images are on the service's host",
	},
	{ ...text, name: "profile.developer", option: "developer", valueHint: "name", description: "Who makes it" },
	{ ...text, name: "profile.homepage_url", option: "homepage", valueHint: "url", description: "Its own pages, https" },
	{
		...text,
		name: "profile.privacy_url",
		option: "privacy",
		valueHint: "url",
		description: "Its privacy policy, https",
	},
	{ ...text, name: "profile.terms_url", option: "terms", valueHint: "url", description: "Its terms, https" },
	{
		...{ ...text, name: "profile.support_email", option: "support-email", valueHint: "address" },
		description: "Where people get help",
	},
	{
		...{ ...text, name: "profile.logo_image_id", option: "logo", valueHint: "id" },
		description: "An image of the App's own storage",
	},
	{
		...{ ...text, name: "profile.accent_color", option: "accent", valueHint: "#rrggbb" },
		description: "The colour of its buttons and links",
	},
	{
		...{ name: "tax.mode", kind: "choice", choices: MODES, option: "tax" },
		description: "Whether the payment processor takes tax",
	},
	{
		...{ name: "tax.behavior", kind: "choice", choices: BEHAVIORS, option: "tax-behavior" },
		description: "Whether prices hold the tax, or it comes on top",
	},
	{
		...{ name: "promotion_codes", sent: "promotionCodes", kind: "switch", option: "promotion-codes" },
		description: "Whether checkouts take promotion codes",
	},
];

/** An older service knows no profiles. */
function profileWords({ profile }: Partial<AppThing>): string | undefined {
	const said = Object.entries(profile ?? {}).filter(([, value]) => value !== null);
	return said.length === 0 ? undefined : said.map(([name, value]) => `${name}=${value}`).join(" ");
}

/** Tiers limit neither images nor users. */
function ofLimit(kind: "images" | "users", app: AppThing): string {
	const limit = app.limits[kind];
	const count = countText(app[kind]);
	return hasTiers(app) ? count : `${count} of ${limit === null ? "no limit" : countText(limit)}`;
}

/** `images=20 bytes=none`. An older service knows no limits. */
export function limitWords(limits: UserLimits | undefined): string | undefined {
	return limits && `images=${limits.images ?? "none"} bytes=${limits.bytes ?? "none"}`;
}

/** What the storage of one user may hold. An older service knows no such limits. */
export function userLimitsText(limits: UserLimits | undefined): string {
	const { images = null, bytes = null } = limits ?? {};
	const said = [
		...(images === null ? [] : [`${countText(images)} ${images === 1 ? "image" : "images"}`]),
		...(bytes === null ? [] : [bytesText(bytes)]),
	];
	return said.join(", ") || "any number";
}
