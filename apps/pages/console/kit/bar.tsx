import type { App, Role } from "@svc/sdk/shapes";
import { type Text, usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";
import { type ConsoleVisit, hasRole } from "./visit.ts";

/* What leads from screen to screen: beside the screen where there is room, otherwise opened by a button at the top. */

interface Entry {
	/** Its path below that of the App, or of the operators. */
	readonly id: string;
	readonly title: Text;
	/** The least role that may read it. */
	readonly for?: Role;
	/** Leads there after `g`. */
	readonly key?: string;
	/** Where not everybody who may read it has it: a variant lacks it, or the service has nothing to show there. */
	readonly has?: (visit: ConsoleVisit) => boolean;
}

interface Group {
	readonly id: string;
	readonly title?: Text;
	readonly entries: readonly Entry[];
}

/** Older interfaces have no feed of events, and nothing that follows from it. */
function hasFeed({ includes }: ConsoleVisit): boolean {
	return includes.length > 0;
}

/** The screens of an App, in this order. */
const APP = [
	{
		id: "pictures",
		entries: [
			{ id: "overview", title: t("overview"), for: "viewer", key: "o" },
			{ id: "images", title: t("images"), for: "viewer", key: "i" },
			{ id: "users", title: t("users"), for: "viewer", key: "u" },
		],
	},
	{
		id: "access",
		title: t("bar.access"),
		entries: [
			{ id: "keys", title: t("keys"), for: "viewer", key: "k" },
			{ id: "sign-in", title: t("sign_in"), for: "viewer", key: "n" },
		],
	},
	{
		id: "sell",
		title: t("bar.sell"),
		entries: [
			{ id: "plans", title: t("plans"), for: "viewer", key: "p" },
			{ id: "subscribers", title: t("subscribers"), for: "viewer", key: "b" },
		],
	},
	{
		id: "traffic",
		title: t("bar.traffic"),
		entries: [
			{ id: "webhooks", title: t("webhooks"), for: "viewer", key: "w", has: hasFeed },
			{ id: "events", title: t("events"), for: "viewer", key: "e", has: hasFeed },
			{ id: "delivery", title: t("delivery"), for: "viewer", key: "d", has: hasFeed },
			{ id: "imports", title: t("imports"), for: "viewer", key: "m", has: hasFeed },
			{ id: "tickets", title: t("tickets"), for: "viewer", key: "c", has: hasFeed },
			{ id: "jobs", title: t("jobs"), for: "viewer", key: "j", has: hasFeed },
		],
	},
	{
		id: "app",
		title: t("bar.app"),
		entries: [
			{ id: "team", title: t("team"), for: "viewer", key: "t" },
			{ id: "plan", title: t("plan"), for: "viewer", key: "l" },
			{ id: "activity", title: t("activity"), for: "admin", key: "a" },
			{ id: "settings", title: t("settings"), for: "viewer", key: "s" },
		],
	},
] as const satisfies readonly Group[];

/** The screens of operators; most are in English alone. */
const OPERATOR = [
	{
		id: "people",
		entries: [
			{ id: "moderation", title: t("moderation"), key: "m" },
			{ id: "reports", title: t("reports"), key: "r" },
			{ id: "apps", title: t("apps"), key: "a" },
			{ id: "accounts", title: t("accounts"), key: "p" },
		],
	},
	{
		id: "service",
		title: t("bar.service"),
		entries: [
			{ id: "health", title: t("health"), key: "e" },
			{ id: "jobs", title: t("jobs"), key: "j" },
			{ id: "mails", title: t("mails"), key: "l", has: (visit) => visit.readsMails },
			{ id: "trash", title: t("trash"), key: "t" },
			{ id: "backups", title: t("backups"), key: "b" },
			{ id: "logs", title: t("logs"), key: "o" },
		],
	},
] as const satisfies readonly Group[];

type AppScreen = (typeof APP)[number]["entries"][number]["id"];
export type OperatorScreen = (typeof OPERATOR)[number]["entries"][number]["id"];

/** Where one is: of an App, or of the operators. */
export interface Whereabouts {
	readonly app?: (Pick<App, "id" | "name" | "role"> & Partial<Pick<App, "image_host">>) | undefined;
	readonly screen?: AppScreen;
	readonly operator?: OperatorScreen;
}

export function Bar({ visit, app, screen, operator }: Whereabouts & { readonly visit: ConsoleVisit }) {
	const say = usePlain();
	if (app === undefined && operator === undefined) return null;
	const at = app ? `/console/${app.id}` : OPERATORS;
	const label = app ? t("screens", { app: app.name }) : t("screens.operator");
	return (
		<nav className="bar" id="screens" popover="auto" aria-label={say(label)}>
			{groupsOf(visit, app).map(({ id, title, entries }) => (
				<div key={id}>
					{title !== undefined && <p id={`of-${id}`}>{title}</p>}
					<ul aria-labelledby={title === undefined ? undefined : `of-${id}`}>
						{entries.map((entry) => (
							<li key={entry.id}>
								<a
									href={entry.id === "overview" && app ? at : `${at}/${entry.id}`}
									aria-current={entry.id === (app ? screen : operator) ? "page" : undefined}
									data-keys={entry.key && `g ${entry.key}`}
								>
									{entry.title}
								</a>
							</li>
						))}
					</ul>
				</div>
			))}
		</nav>
	);
}

const OPERATORS = "/console/operator";

/** The first screen of operators that this person has. */
export function operatorsPath(visit: ConsoleVisit): string | undefined {
	const [first] = visit.person.operator ? groupsOf(visit).flatMap(({ entries }) => entries) : [];
	return first && `${OPERATORS}/${first.id}`;
}

/** What the person has of an App, or of the operators; a group of which nothing is left is none. */
function groupsOf(visit: ConsoleVisit, app?: Pick<App, "role">): readonly Group[] {
	const groups: readonly Group[] = app ? APP : OPERATOR;
	return groups
		.map((group) => ({ ...group, entries: group.entries.filter((entry) => isFor(visit, entry, app)) }))
		.filter(({ entries }) => entries.length > 0);
}

function isFor(visit: ConsoleVisit, entry: Entry, app: Pick<App, "role"> | undefined): boolean {
	const may = app === undefined || entry.for === undefined || hasRole(app, entry.for);
	return may && (entry.has?.(visit) ?? true);
}
