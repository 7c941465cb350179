import { EXIT, UsageError } from "@svc/base/processes/exit";
import type { DailyFilter } from "@svc/sdk/calls/usage";
import type { LabelCount, Labels, MonthUsage, Usage, UsageRow, UserUsage } from "@svc/sdk/shapes";
import type { List } from "@svc/sdk/types";
import type { PageOptions } from "@svc/sdk/wire/calls";
import { type Context, defineCommand } from "../../kit/command.ts";
import { readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, type ListArgs, printList } from "../../kit/output/lists.ts";
import { type Column, fields } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { SUMMARIES } from "../summaries.ts";

const TOTAL_COLUMNS: readonly Column<Usage>[] = [
	...fields("plan"),
	{ name: "images_stored", value: ({ totals }) => totals.images_stored },
	{
		name: "bytes",
		value: ({ totals }) => share(totals.storage_used_bytes, totals.storage_limit_bytes),
		shown: ({ totals }, { bytes }) => share(totals.storage_used_bytes, totals.storage_limit_bytes, bytes),
	},
	{ name: "uploads_this_month", value: ({ monthly }) => share(monthly.uploads, monthly.uploads_limit) },
	{ name: "resets_at", value: ({ monthly }) => monthly.resets_at },
	{ name: "app_images", value: ({ limits }) => limits && share(limits.images.used, limits.images.limit) },
	{ name: "app_users", value: ({ limits }) => limits && share(limits.users.used, limits.users.limit) },
	{ name: "limits_enforced", value: (usage) => usage.limits_enforced },
];

const USER_COLUMNS: readonly Column<UserUsage>[] = [
	{ name: "user", value: (usage) => usage.user_id ?? "(App)" },
	...fields("images", "bytes", "uploads_this_month"),
];

const MONTH_COLUMNS: readonly Column<MonthUsage>[] = [...fields("month", "uploads")];

const show = defineCommand({
	summary: "Show what is stored, and how much may be",
	notes: "Of the key's storage, or the one that --user names. --by is about the whole App, and for its team.",
	examples: ["svc usage get", "svc usage get --by user --limit 10", "svc usage get --by month"],
	args: {
		by: takes.text("List the App's use by user, or by month", "user|month"),
		...LIST_ARGS,
	},
	async run({ args }, context) {
		const { by } = readChoice("by", args.by, ["user", "month"]);
		if (by === undefined) {
			await showTotal(context, args);
			return EXIT.ok;
		}
		const { usage } = await context.app();
		return advising({ not_found: "See your Apps: svc apps list" }, () =>
			by === "user"
				? printList(context, USER_COLUMNS, args, (page) => usage.byUser.list(page))
				: printList(context, MONTH_COLUMNS, args, (page) => usage.byMonth.list(page)),
		);
	},
});

const LABEL_COLUMNS: readonly Column<LabelCount>[] = [
	...fields("key", "value"),
	{ name: "count", value: ({ count }) => count, shown: countText },
];

/** As `1,000+` where counting stopped. */
export function countText({ count, more }: LabelCount): string {
	return more ? `${count.toLocaleString("en")}+` : String(count);
}

export const labels = defineCommand({
	summary: SUMMARIES.labels,
	notes: "At most 1,000 of them. Images by label: svc images list --label key=value",
	examples: ["svc labels", "svc labels --prefix al"],
	args: { prefix: takes.text("Only keys that begin so", "text") },
	async run({ args }, context) {
		const app = await context.app();
		const found = await advising({ not_found: "See your Apps: svc apps list" }, () =>
			app.labels(args.prefix, { signal: context.process.signal }),
		);
		await printLabels(context, found);
	},
});

export async function printLabels({ out }: Pick<Context, "out">, { data, truncated }: Labels): Promise<void> {
	await out.rows(LABEL_COLUMNS, data);
	if (truncated) await out.note("There are more: narrow them down with --prefix.");
}

const DAILY_AMOUNTS = ["uploads", "requests", "image_requests", "bytes_served", "renditions"] as const;
const DAILY_COLUMNS: readonly Column<UsageRow>[] = [...fields("date", "user_id", ...DAILY_AMOUNTS)];

const daily = defineCommand({
	summary: "Show what was uploaded and served, day by day or user by user",
	notes:
		"Days are in UTC. Uploads are exact, and the rest is at most a minute late. What a CDN answers by itself is not in it.",
	examples: [
		"svc usage daily",
		"svc usage daily --from 2026-11-01 --to 2026-12-01 --csv",
		"svc usage daily --scope app --by user --all",
	],
	args: {
		from: takes.text("The first day; default: 30 days ago", "date"),
		to: takes.text("The day after the last; default: tomorrow", "date"),
		scope: takes.text("The App with all its users; default: storage", "storage|app"),
		by: takes.text("A line for each; user: with --scope app", "day|user"),
		csv: takes.flag("All lines as CSV; --json goes before it"),
		...LIST_ARGS,
	},
	async run({ args }, context) {
		const { usage } = await context.client();
		const { by } = readChoice("by", args.by, ["day", "user"]);
		const { scope } = readChoice("scope", args.scope, ["storage", "app"]);
		const asked: Partial<DailyFilter> = {
			...(args.from !== undefined && { from: args.from }),
			...(args.to !== undefined && { to: args.to }),
			...(scope && { scope }),
			...(by && { by }),
		};
		const pageOf = (page: PageOptions) => usage.daily.list({ ...page, ...asked });
		if (!args.csv || context.out.isJson)
			return printList(context, DAILY_COLUMNS, args, isRead(context) ? eventful(pageOf) : pageOf);
		const { out, signal } = context.process;
		const text = new TextDecoder();
		for await (const part of await usage.dailyCsv({ ...asked, signal })) {
			await out.write(text.decode(part, { stream: true }));
		}
		return EXIT.ok;
	},
});

export const USAGE_COMMANDS = { get: show, daily };

/** Whether a person reads the rows: programs want each of them. */
function isRead({ globals: { format = "table", field }, process }: Context): boolean {
	return process.out.isTerminal && format === "table" && field === undefined;
}

/** The same list; days of which nothing at all is to be told are none, so that this is said in words. */
function eventful(pageOf: (page: PageOptions) => Promise<List<UsageRow>>) {
	return async (page: PageOptions): Promise<List<UsageRow>> => {
		const found = await pageOf(page);
		const isWhole = page.cursor === undefined && !found.pagination.has_more;
		const happened = (row: UsageRow) => DAILY_AMOUNTS.some((name) => row[name] > 0);
		return isWhole && !found.data.some(happened) ? { ...found, data: [] } : found;
	};
}

type Amount = number | null | undefined;

function share(used: Amount, limit: Amount, write: (amount: number) => string = String): string {
	const amount = (value: Amount, missing: string) => (typeof value === "number" ? write(value) : missing);
	return `${amount(used, "?")} of ${amount(limit, "unlimited")}`;
}

async function showTotal(context: Context, args: ListArgs): Promise<void> {
	if (args.limit !== undefined || args.all || args.cursor !== undefined) {
		throw new UsageError("--limit, --all and --cursor are for --by user and --by month.");
	}
	const { usage } = await context.client();
	await context.out.record(TOTAL_COLUMNS, await usage.get({ signal: context.process.signal }));
}
