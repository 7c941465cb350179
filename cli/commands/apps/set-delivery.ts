import { DELIVERY_POLICIES } from "@svc/sdk/lists";
import { oneOf } from "../../kit/line/choice.ts";
import * as takes from "../../kit/line/takes.ts";
import { changesApp } from "./change.ts";

const POLICIES = DELIVERY_POLICIES.join("|");

export const setDelivery = changesApp({
	summary: "Decide which addresses of an App's images are answered",
	notes:
		"open: every form of every image. presets: images as they are, the sizes s, m, l and social, the App's presets, and what is signed.\n" +
		"signed: signed addresses alone. It holds at once, and for addresses that were given out before; caches elsewhere follow within 5 minutes.",
	examples: ["svc apps set-delivery app_1 presets", "svc apps set-delivery app_1 open --field delivery"],
	args: { policy: takes.word(POLICIES, POLICIES) },
	changes: ({ policy }) => ({ delivery: oneOf("the policy", policy, DELIVERY_POLICIES) }),
});
