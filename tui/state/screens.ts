/** The screens that a key goes to, in the order of their names at the top. */
export const SCREENS = [
	"moderation",
	"apps",
	"keys",
	"users",
	"plans",
	"usage",
	"audit",
	"trash",
	"images",
	"subscriptions",
	"events",
	"webhooks",
	"tickets",
	"presets",
	"signing-keys",
] as const;
type TabName = (typeof SCREENS)[number];

/** The deliveries are those of one endpoint: they are reached from it. */
export type ScreenName = TabName | "deliveries";
export const ALL_SCREENS: readonly ScreenName[] = [...SCREENS, "deliveries"];

/** The screen among whose keys a screen stands. */
export function tabOf(screen: ScreenName): TabName {
	return screen === "deliveries" ? "webhooks" : screen;
}

/** What an older interface of the service has not. */
export const OF_PLATFORM: readonly ScreenName[] = [
	"events",
	"webhooks",
	"deliveries",
	"tickets",
	"presets",
	"signing-keys",
];
/** What is for operators alone. */
export const OF_OPERATORS: readonly ScreenName[] = ["moderation", "trash"];

/** The screens that there are for this person, at this service. */
export function screensOf({ absent }: { readonly absent: readonly ScreenName[] }): readonly TabName[] {
	return SCREENS.filter((screen) => !absent.includes(screen));
}

interface Tab {
	/** Digits for the first ones, then a letter of the name. */
	readonly key: string;
	readonly title: string;
	/** Where there is little room. */
	readonly short: string;
}

export const TABS: Record<TabName, Tab> = {
	moderation: { key: "1", title: "Moderation", short: "Mod" },
	apps: { key: "2", title: "Apps", short: "Apps" },
	keys: { key: "3", title: "Keys", short: "Keys" },
	users: { key: "4", title: "Users", short: "Users" },
	plans: { key: "5", title: "Plans", short: "Plans" },
	usage: { key: "6", title: "Usage", short: "Usage" },
	audit: { key: "7", title: "Audit", short: "Audit" },
	trash: { key: "8", title: "Trash", short: "Trash" },
	images: { key: "I", title: "Images", short: "Images" },
	subscriptions: { key: "B", title: "Subscriptions", short: "Subs" },
	events: { key: "E", title: "Events", short: "Events" },
	webhooks: { key: "W", title: "Webhooks", short: "Hooks" },
	tickets: { key: "T", title: "Tickets", short: "Tickets" },
	presets: { key: "P", title: "Presets", short: "Presets" },
	"signing-keys": { key: "S", title: "Signing keys", short: "Sign" },
};
