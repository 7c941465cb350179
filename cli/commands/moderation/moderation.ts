import { MODERATION_ITEM } from "@svc/nouns/moderation";
import { MODERATION_STATES } from "@svc/sdk/lists";
import { defineCommand } from "../../kit/command.ts";
import { givenFilters, readChoice } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { LIST_ARGS, printList } from "../../kit/output/lists.ts";
import { pipeNote } from "../../kit/output/table.ts";
import { advising } from "../../kit/refusal.ts";
import { ADVICE, block, deleteModerated, lock, nsfw, unblock, unlock } from "./act.ts";
import { ACTION_COLUMNS } from "./columns.ts";
import { preview } from "./preview.ts";

const queue = defineCommand({
	summary: "List images to moderate",
	notes: `For operators. Images of all Apps; of one only with --app. ${pipeNote(MODERATION_ITEM.list)}`,
	examples: ["svc moderation list", "svc moderation list --state blocked --all", "svc moderation list --app app_1"],
	args: {
		...LIST_ARGS,
		state: takes.choice("Default: reported, those with open reports", MODERATION_STATES),
		"similar-to": takes.text("Other images that look like this one, in any state", "img_…"),
	},
	async run({ args }, context) {
		const { app } = context.globals;
		const filter = {
			...readChoice("state", args.state, MODERATION_STATES),
			...givenFilters({ app, similar_to: args["similar-to"] }),
		};
		const { moderation } = await context.management();
		return advising(ADVICE, () =>
			printList(context, MODERATION_ITEM.list, args, (page) => moderation.list({ ...page, ...filter })),
		);
	},
});

const show = defineCommand({
	summary: "Show an image with its reports and its history",
	notes: "For operators.",
	examples: ["svc moderation get img_1", "svc moderation get img_1 --field image.url"],
	args: { id: takes.id("Image id") },
	async run({ args }, { management, out, process }) {
		const { moderation } = await management();
		const item = await advising(ADVICE, () => moderation.get(args.id, { signal: process.signal }));
		await out.record(MODERATION_ITEM.detail, item);
	},
});

const log = defineCommand({
	summary: "List what operators did to an App's images",
	notes: "For the App's team. One image's whole history, for operators: svc moderation get",
	examples: ["svc moderation log", "svc moderation log --app app_1 --all"],
	args: LIST_ARGS,
	async run({ args }, context) {
		const { moderation } = await context.app();
		return advising({ not_found: "See your Apps: svc apps list" }, () =>
			printList(context, ACTION_COLUMNS, args, (page) => moderation.list(page)),
		);
	},
});

export const MODERATION_COMMANDS = {
	list: queue,
	get: show,
	preview,
	lock,
	unlock,
	block,
	unblock,
	nsfw,
	delete: deleteModerated,
	log,
};
