import { listOf, selectedOf } from "../lists/list.ts";
import { type State, type Step, say, stay } from "../model.ts";
import { openForm } from "./form.ts";

/* Forms about the people who are connected to an App. */

const DAY_MS = 86_400_000;

/** For nothing and for a time; what they pay for goes before it. */
export function givePlan(state: State): Step {
	const user = selectedOf(listOf(state));
	const { app } = state;
	if (user?.object !== "connected_user" || app === undefined) return stay(say(state, "warn", "No user is chosen."));
	return openForm(state, {
		title: `Give ${user.email} a plan of ${app.name} for nothing, in the place of what was given before`,
		fields: [
			{ kind: "text", name: "plan_key", label: "Plan", hint: "Its key, as the screen of plans shows it", value: "" },
			{ kind: "number", name: "until", label: "For", unit: "days", hint: "At most a year", value: "30" },
			{ kind: "text", name: "reason", label: "Reason", hint: "The user reads it", value: "" },
		],
		read({ plan_key: planKey = "", until: days = "", reason = "" }, _, nowMs) {
			if (planKey === "") return { errors: { plan_key: "is needed, as gold" } };
			const until = new Date(nowMs + Number(days) * DAY_MS);
			return { kind: "grant", verb: "give", app: app.id, id: user.id, grant: { planKey, until, reason } };
		},
	});
}
