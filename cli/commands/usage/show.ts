import type { MonthUsage, UserUsage } from "@svc/sdk/management-types";
import type { Usage } from "@svc/sdk/types";
import { advising } from "../../advice.ts";
import { readChoice } from "../../choice.ts";
import { EXIT, UsageError } from "../../exit.ts";
import { type Context, defineLeaf } from "../../leaf.ts";
import { LIST_ARGS, type ListArgs, printList } from "../../lists.ts";
import type { Column } from "../../table.ts";
import { teamOf } from "../../team.ts";

function share(used: number | null | undefined, limit: number | null | undefined): string {
	return `${used ?? "?"} of ${limit ?? "unlimited"}`;
}

const TOTAL_COLUMNS: readonly Column<Usage>[] = [
	{ name: "plan", value: (usage) => usage.plan },
	{ name: "images_stored", value: ({ totals }) => totals.images_stored },
	{ name: "bytes", value: ({ totals }) => share(totals.storage_used_bytes, totals.storage_limit_bytes) },
	{ name: "uploads_this_month", value: ({ monthly }) => share(monthly.uploads, monthly.uploads_limit) },
	{ name: "resets_at", value: ({ monthly }) => monthly.resets_at },
	{ name: "app_images", value: ({ limits }) => limits && share(limits.images.used, limits.images.limit) },
	{ name: "app_users", value: ({ limits }) => limits && share(limits.users.used, limits.users.limit) },
	{ name: "limits_enforced", value: (usage) => usage.limits_enforced },
];

const USER_COLUMNS: readonly Column<UserUsage>[] = [
	{ name: "user", value: (usage) => usage.user_id ?? "(App)" },
	{ name: "images", value: (usage) => usage.images },
	{ name: "bytes", value: (usage) => usage.bytes },
	{ name: "uploads_this_month", value: (usage) => usage.uploads_this_month },
];

const MONTH_COLUMNS: readonly Column<MonthUsage>[] = [
	{ name: "month", value: (usage) => usage.month },
	{ name: "uploads", value: (usage) => usage.uploads },
];

async function showTotal(context: Context, args: ListArgs): Promise<void> {
	if (args.limit !== undefined || args.all || args.cursor !== undefined) {
		throw new UsageError("--limit, --all and --cursor are for --by user and --by month.");
	}
	const { usage } = await context.client();
	await context.out.record(TOTAL_COLUMNS, await usage.get({ signal: context.world.signal }));
}

export const show = defineLeaf({
	summary: "Show what is stored, and how much may be",
	notes: "Of the key's storage, or the one that --user names. --by is about the whole App, and for its team.",
	examples: ["svc usage show", "svc usage show --by user --limit 10", "svc usage show --by month"],
	args: {
		by: { type: "string", valueHint: "user|month", description: "List the App's use by user, or by month" },
		...LIST_ARGS,
	},
	async run({ args }, context) {
		const { by } = readChoice("by", args.by, ["user", "month"]);
		if (by === undefined) {
			await showTotal(context, args);
			return EXIT.ok;
		}
		const { usage } = (await teamOf(context)).app;
		await advising({ not_found: "See your Apps: svc apps list" }, () =>
			by === "user"
				? printList(context, USER_COLUMNS, args, (page) => usage.byUser.list(page))
				: printList(context, MONTH_COLUMNS, args, (page) => usage.byMonth.list(page)),
		);
		return EXIT.ok;
	},
});
