import { defineLeaf, type Leaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { APP_ID, changeApp } from "./change.ts";

function pausing(verb: "pause" | "resume", summary: string, notes: string): Leaf {
	return defineLeaf({
		summary,
		notes,
		examples: [`svc apps ${verb} app_1`, `svc apps ${verb} app_1 --field state`],
		args: APP_ID,
		run({ args: { id } }, context) {
			return changeApp(context, {
				call: { method: "POST", path: pathTo("apps", id, verb) },
				send: (apps, options) => apps[verb](id, options),
			});
		},
	});
}

export const pause = pausing(
	"pause",
	"Suspend an App's App-wide keys and its hosted sign-in",
	"Doing it again changes nothing. End it with: svc apps resume <id>",
);
export const resume = pausing("resume", "End a pause", "A block by an operator stays.");
