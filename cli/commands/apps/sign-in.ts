import { defineLeaf, type Leaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { APP_ID, changeApp } from "./change.ts";

function switching(word: "on" | "off", summary: string, notes: string): Leaf {
	const enabled = word === "on";
	return defineLeaf({
		summary,
		notes,
		examples: [`svc apps sign-in ${word} app_1`, `svc apps sign-in ${word} app_1 --field sign_in_enabled`],
		args: APP_ID,
		run({ args: { id } }, context) {
			return changeApp(context, {
				call: { method: "PATCH", path: pathTo("apps", id), body: { sign_in_enabled: enabled } },
				send: (apps, options) => apps.update(id, { signInEnabled: enabled }, options),
			});
		},
	});
}

export const signInOn = switching(
	"on",
	"Let people connect to an App by hosted sign-in",
	"Where they come back to: svc redirect-uris add <uri>",
);
export const signInOff = switching(
	"off",
	"Let nobody new connect to an App",
	"Who is connected stays connected, and is not listed until it is on again.",
);
