import { defineCommand } from "../../kit/command.ts";
import { UsageError } from "../../kit/exit.ts";
import { readUserLimits, USER_LIMIT_ARGS } from "../../kit/user-limits.ts";
import { changeApp } from "./change.ts";
import { APP_ID } from "./columns.ts";

export const setFreeLimits = defineCommand({
	summary: "Set what a user of an App may keep who has no plan of it",
	notes:
		"The service holds it: beyond it nothing more comes in, and nothing is deleted. Who has a plan is bound by that alone:\n" +
		"svc plans edit <id> --images <number>",
	examples: [
		"svc apps set-free-limits app_1 --images 20",
		"svc apps set-free-limits app_1 --images none --bytes 1000000000",
	],
	args: { ...APP_ID, ...USER_LIMIT_ARGS },
	run({ args }, context) {
		const { id } = args;
		const freeLimits = readUserLimits(args);
		if (!freeLimits) throw new UsageError("Name what is to change: --images, --bytes or both.");
		return changeApp(context, {
			send: (apps, options) => apps.edit(id, { freeLimits }, options),
		});
	},
});
