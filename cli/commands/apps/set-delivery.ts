import { DELIVERY_POLICIES } from "@svc/sdk/lists";
import { defineCommand } from "../../kit/command.ts";
import { oneOf } from "../../kit/line/choice.ts";
import { changeApp } from "./change.ts";
import { APP_ID } from "./columns.ts";

const POLICIES = DELIVERY_POLICIES.join("|");

export const setDelivery = defineCommand({
	summary: "Decide which addresses of an App's images are answered",
	notes:
		"open: every form of every image. presets: images as they are, the sizes s, m, l and social, the App's presets, and what is signed.\n" +
		"signed: signed addresses alone. It holds at once, and for addresses that were given out before; caches elsewhere follow within 5 minutes.",
	examples: ["svc apps set-delivery app_1 presets", "svc apps set-delivery app_1 open --field delivery"],
	args: { ...APP_ID, policy: { type: "positional", required: true, valueHint: POLICIES, description: POLICIES } },
	run({ args: { id, policy } }, context) {
		const delivery = oneOf("the policy", policy, DELIVERY_POLICIES);
		return changeApp(context, {
			send: (apps, options) => apps.edit(id, { delivery }, options),
		});
	},
});
