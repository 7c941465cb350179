import { defineLeaf } from "../../leaf.ts";
import { pathTo } from "../../team.ts";
import { APP_ID, changeApp } from "./change.ts";

export const rename = defineLeaf({
	summary: "Give an App another name",
	examples: ["svc apps rename app_1 'My pictures'", "svc apps rename app_1 Pictures --field name"],
	args: { ...APP_ID, name: { type: "positional", required: true, description: "Its new name" } },
	run({ args: { id, name } }, context) {
		return changeApp(context, {
			call: { method: "PATCH", path: pathTo("apps", id), body: { name } },
			send: (apps, options) => apps.update(id, { name }, options),
		});
	},
});
