import { APP } from "@svc/nouns/app";
import type { Command } from "../../kit/command.ts";
import { shows } from "../../kit/output/shows.ts";

const COLUMNS = APP.columnsOf("id", "name", "selling_enabled", "owner");

const ADVICE = { not_found: "Only operators decide who sells, and only of Apps that exist: svc whoami" };

const on = setsSelling(true, {
	summary: "Let an App sell plans to its users",
	notes: "For operators.",
	examples: ["svc selling on --app app_1"],
});

const off = setsSelling(false, {
	summary: "Let an App sell no more",
	notes: "For operators. Those who have bought keep what they have. Undone by: svc selling on",
	examples: ["svc selling off --app app_1"],
});

export const SELLING_COMMANDS = { on, off };

function setsSelling(sellingEnabled: boolean, described: Pick<Command, "summary" | "examples" | "notes">): Command {
	return shows({
		...described,
		columns: COLUMNS,
		advice: ADVICE,
		from: "management",
		send: async (_, context) => {
			const appId = await context.appId();
			return ({ operator }, options) => operator.apps.edit(appId, { sellingEnabled }, options);
		},
	});
}
