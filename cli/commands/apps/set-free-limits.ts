import { UsageError } from "@svc/base/processes/exit";
import { readUserLimits, USER_LIMIT_ARGS } from "../../kit/user-limits.ts";
import { changesApp } from "./change.ts";

export const setFreeLimits = changesApp({
	summary: "Set what a user of an App may keep who has no plan of it",
	notes:
		"The service holds it: beyond it nothing more comes in, and nothing is deleted. Who has a plan is bound by that alone:\n" +
		"svc plans edit <id> --images <number>",
	examples: [
		"svc apps set-free-limits app_1 --images 20",
		"svc apps set-free-limits app_1 --images none --bytes 1000000000",
	],
	args: USER_LIMIT_ARGS,
	changes: (args) => {
		const freeLimits = readUserLimits(args);
		if (!freeLimits) throw new UsageError("Name what is to change: --images, --bytes or both.");
		return { freeLimits };
	},
});
