import { UsageError } from "@svc/base/processes/exit";
import { APP } from "@svc/nouns/app";
import type { AppTerms } from "@svc/sdk/calls/operators";
import { APP_STATES } from "@svc/sdk/lists";
import type { OperatedApp } from "@svc/sdk/shapes";
import { defineCommand } from "../../kit/command.ts";
import { givenFilters, oneOf, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { type Column, pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const OPERATED_COLUMNS = APP.columnsOf(
	...(["id", "name", "state", "plan", "owner", "images", "bytes", "users", "selling_enabled", "block_reason"] as const),
);

/** The order of what a pipe gets is a promise to scripts: add at the end only. */
const TERMS_COLUMNS: readonly Column<OperatedApp>[] = [
	...APP.columnsOf("id", "name", "state", "plan"),
	{ name: "images", value: ({ images, limits }) => ofLimit(images, limits.images) },
	{ name: "users", value: ({ users, limits }) => ofLimit(users, limits.users) },
	{ name: "own_images_limit", value: (app) => app.own_limits.images },
	{ name: "own_users_limit", value: (app) => app.own_limits.users },
	...APP.columnsOf("bytes", "selling_enabled", "owner", "block_reason"),
];

export const OPERATOR_ADVICE = { not_found: "Only operators see this: svc whoami" };
const APP_ADVICE = { not_found: "See what there is: svc operator apps. Only operators see them: svc whoami" };
const APP_ID = takes.id("App id");

const list = defineCommand({
	summary: "List the Apps of the whole service",
	notes: `${pipeNote(OPERATED_COLUMNS)} The same: svc operator apps. Block one: svc apps block`,
	examples: ["svc operator apps list", "svc operator apps list --search Shop --state active"],
	args: {
		...LIST_ARGS,
		search: takes.text("An id, or how the name or the Owner's address begins", "text"),
		state: takes.choice("Only Apps in this state", APP_STATES),
	},
	async run({ args }, context) {
		const filter = { ...givenFilters({ q: args.search }), ...readChoice("state", args.state, APP_STATES) };
		const { operator } = await context.management();
		return advising(OPERATOR_ADVICE, () =>
			printList(context, OPERATED_COLUMNS, args, (page) => operator.apps.list({ ...page, ...filter })),
		);
	},
});

const get = defineCommand({
	summary: "Show any App, with its limits and what it uses of them",
	notes: "The limits that count are its plan's, or those that operators have set for this App alone.",
	examples: ["svc operator apps get app_1", "svc operator apps get app_1 --field limits.images"],
	args: { app: APP_ID },
	async run({ args }, { management, out, process }) {
		const { apps } = (await management()).operator;
		const app = await advising(APP_ADVICE, () => apps.get(args.app, { signal: process.signal }));
		await out.record(TERMS_COLUMNS, app);
	},
});

const set = defineCommand({
	summary: "Set an App's plan and limits, and whether it sells",
	notes:
		"A plan is given beside what the App pays for, and the better one of the two counts; none takes it back. A limit\n" +
		"counts instead of the plan's own, until it is set to plan. Nothing that is stored is ever deleted. Where an older\n" +
		"interface has tiers, --plan is the tier, and limits of images and users do not count.",
	examples: [
		"svc operator apps edit app_1 --plan pro",
		"svc operator apps edit app_1 --images 50000 --users plan",
		"svc operator apps edit app_1 --plan none --selling off",
	],
	args: {
		app: APP_ID,
		plan: takes.text("Such as pro; none takes back what was given", "plan"),
		images: takes.text("Most images, or plan for the plan's own limit", "number"),
		users: takes.text("Most connected users, or plan", "number"),
		selling: takes.text("Whether the App may sell plans to its users", "on|off"),
	},
	async run({ args }, { management, out, process }) {
		const terms = readTerms(args);
		const { apps } = (await management()).operator;
		const app = await advising(APP_ADVICE, () => apps.edit(args.app, terms, { signal: process.signal }));
		await out.record(TERMS_COLUMNS, app);
		if (hasTiers(app, terms) && !out.isJson)
			await out.note("Tiers rule at this service: a limit of images or users does not count yet.");
	},
});

export const OPERATED_APP_COMMANDS = { list, get, edit: set };

interface Asked {
	readonly plan?: string | undefined;
	readonly images?: string | undefined;
	readonly users?: string | undefined;
	readonly selling?: string | undefined;
}

/** Only what was named is sent. @throws UsageError where that is nothing */
function readTerms({ plan, images, users, selling }: Asked): AppTerms {
	if ([plan, images, users, selling].every((value) => value === undefined))
		throw new UsageError("There is nothing to set.", "Give --plan, --images, --users or --selling.");
	const limits = {
		...(images !== undefined && { images: readLimit("--images", images) }),
		...(users !== undefined && { users: readLimit("--users", users) }),
	};
	return {
		...(plan !== undefined && { plan: plan === "none" ? null : plan }),
		...(Object.keys(limits).length > 0 && { limits }),
		...(selling !== undefined && { sellingEnabled: oneOf("--selling", selling, ["on", "off"]) === "on" }),
	};
}

/** An older service sells tiers, which limit uploads and bytes: it keeps a limit of images or users, and nothing comes of it. */
function hasTiers({ limits }: OperatedApp, { limits: set = {} }: AppTerms): boolean {
	return (["images", "users"] as const).some((kind) => typeof set[kind] === "number" && limits[kind] === null);
}

/** Null for the plan's own limit. @throws UsageError */
function readLimit(name: string, text: string): number | null {
	if (text === "plan") return null;
	const limit = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(limit)) return limit;
	throw new UsageError(`${name} takes a whole number, or plan for the plan's own limit; not "${text}".`);
}

function ofLimit(used: number, limit: number | null): string {
	return limit === null ? `${used}` : `${used} of ${limit}`;
}
