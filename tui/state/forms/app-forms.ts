import { APP_SETTINGS, type AppThing, hasTiers } from "@svc/nouns/app";
import type { AppTerms } from "@svc/sdk/calls/operators";
import { APP_PLANS, OWN_PLAN_KEYS } from "@svc/sdk/lists";
import { confirm } from "../acts/actions.ts";
import { listOf, selectedOf } from "../lists/list.ts";
import { type Event, type State, type Step, say, stay } from "../model.ts";
import { changedIn, type Field, openForm, type Values, yesNo } from "./form.ts";
import { changesIn, fieldsOf } from "./settings.ts";

/* Forms that make an App and change it. */

export function createApp(state: State): Step {
	return openForm(state, {
		title: "New App",
		fields: fieldsOf(APP_SETTINGS, { name: "" }),
		read: ({ name = "" }) =>
			name === "" ? { errors: { name: "is needed" } } : { kind: "new-app", verb: "create", name },
	});
}

function withApp(state: State, act: (app: AppThing) => Step): Step {
	const app = selectedOf(listOf(state));
	return app?.object === "app" ? act(app) : stay(say(state, "warn", "No App is chosen."));
}

export function editApp(state: State): Step {
	return withApp(state, (app) =>
		openForm(state, {
			title: `App ${app.name}`,
			fields: fieldsOf(APP_SETTINGS, app),
			read(values, first) {
				const changes = changesIn(APP_SETTINGS, values, first);
				if (changes === undefined) return undefined;
				if (values.name === "") return { errors: { name: "is needed" } };
				return { kind: "app-settings", verb: "edit", id: app.id, changes };
			},
		}),
	);
}

export function deleteApp(state: State): Step {
	return withApp(state, ({ id, name }) =>
		confirm(state, `Delete ${name} with its keys, users and images for good?`, name, {
			kind: "app-removal",
			verb: "delete",
			id,
			name,
		}),
	);
}

/** The terms that the list shows may be old: they are read anew first. */
export function editTerms(state: State): Step {
	if (state.person?.operator !== true) return stay(say(state, "warn", "Only operators set an App's plan and limits."));
	const selected = selectedOf(listOf(state));
	const app = selected?.object === "app" ? selected.id : state.app?.id;
	if (app === undefined || (state.screen === "apps" && selected === undefined)) {
		return stay(say(state, "warn", "No App is chosen."));
	}
	const seq = state.seq + 1;
	const { screen } = state;
	return stay({ ...state, seq, lookUp: { seq, screen }, notice: undefined }, { type: "look-up", screen, seq, app });
}

/** Whoever has gone on meanwhile is not interrupted. */
export function tookTerms(state: State, { seq, app }: Extract<Event, { type: "looked-up" }>): State {
	if (state.overlay !== undefined || !isLookedUp(state, seq)) return state;
	return openForm(state, {
		title: `${hasTiers(app) ? "Tier" : "Plan and limits"} of ${app.name}`,
		fields: termsOf(app),
		read(values, first) {
			const changed = changedIn(values, first);
			return changed.size === 0
				? undefined
				: { kind: "app-terms", verb: "edit", id: app.id, terms: termsFrom(values, changed) };
		},
	}).state;
}

export function tookNoTerms(state: State, { seq, message }: Extract<Event, { type: "not-found" }>): State {
	return isLookedUp(state, seq) ? say(state, "danger", message) : state;
}

/** Whoever went elsewhere meanwhile does not wait for it any more. */
function isLookedUp({ lookUp, screen }: State, seq: number): boolean {
	return lookUp?.seq === seq && lookUp.screen === screen;
}

const TIERS = OWN_PLAN_KEYS.filter((key) => key !== "unlimited");

function termsOf(app: AppThing): readonly Field[] {
	const { plan, limits, own_limits, selling_enabled } = app;
	const isTier = hasTiers(app);
	const limit = (kind: "images" | "users", label: string): Field => ({
		kind: "number",
		name: `limits.${kind}`,
		label,
		unit: kind,
		empty: "the plan's own",
		hint: `Left empty: the plan's own limit. ${limits[kind] === null ? "There is none now." : `Now ${limits[kind]}.`}`,
		value: String(own_limits?.[kind] ?? ""),
	});
	return [
		{
			kind: "choice",
			name: "plan",
			label: isTier ? "Tier" : "Plan",
			hint: "space goes through them",
			value: plan,
			choices: [...new Set<string>([plan, ...(isTier ? TIERS : APP_PLANS)])],
		},
		...(isTier ? [] : [limit("images", "Images"), limit("users", "Users")]),
		{
			name: "selling_enabled",
			label: "May sell",
			hint: "Whether its users may buy plans of it",
			...yesNo(selling_enabled),
		},
	];
}

function termsFrom(values: Values, changed: ReadonlySet<string>): AppTerms {
	const limits = limitsFrom("limits", ["images", "users"], values, changed);
	return {
		...(changed.has("plan") && { plan: values.plan }),
		...(changed.has("selling_enabled") && { sellingEnabled: values.selling_enabled === "yes" }),
		...(limits && { limits }),
	};
}

/** The limits that were changed, by their kinds; an empty one is none. */
function limitsFrom(name: string, kinds: readonly string[], values: Values, changed: ReadonlySet<string>) {
	const given = kinds
		.filter((kind) => changed.has(`${name}.${kind}`))
		.map((kind) => [kind, limitFrom(values[`${name}.${kind}`])] as const);
	return given.length === 0 ? undefined : Object.fromEntries(given);
}

const limitFrom = (text = "") => (text === "" ? null : Number(text));
