import { minorUnits } from "@svc/base/words/money";
import { priceText } from "@svc/nouns/plan";
import { INTERVALS } from "@svc/sdk/lists";
import type { ManagedPlan } from "@svc/sdk/shapes";
import { unsoldText } from "../acts/actions.ts";
import { listOf, selectedOf } from "../lists/list.ts";
import { type AppInView, type State, type Step, say, stay } from "../model.ts";
import { changedIn, type Field, openForm, type Values, yesNo } from "./form.ts";

/* Forms for what an App sells. */

const SEPARATOR = ";";

const benefitsOf = (text = "") =>
	text
		.split(SEPARATOR)
		.map((one) => one.trim())
		.filter((one) => one !== "");

function wordsOf({ name, description, benefits, display_order }: Partial<ManagedPlan>): readonly Field[] {
	return [
		{ kind: "text", name: "name", label: "Name", hint: "What buyers read", value: name ?? "" },
		{ kind: "text", name: "description", label: "Description", hint: "May stay empty", value: description ?? "" },
		{
			kind: "text",
			name: "benefits",
			label: "Gives",
			hint: `What buyers get, with a ${SEPARATOR} between two of them`,
			value: (benefits ?? []).join(`${SEPARATOR} `),
		},
		{
			kind: "number",
			name: "display_order",
			label: "Order",
			unit: "",
			hint: "Buyers see lower numbers first",
			value: String(display_order ?? 0),
		},
	];
}

/** An older service knows no limits. */
function limit(name: "images" | "bytes", label: string, { limits }: Partial<ManagedPlan>): Field {
	const hint = "What one user with the plan may keep. Left empty: any number";
	return { kind: "number", name, label, unit: name, empty: "any number", hint, value: String(limits?.[name] ?? "") };
}

/** Of those that were changed; one that is left empty is none. */
function limitsFrom(values: Values, changed: ReadonlySet<string>) {
	const sent = (["images", "bytes"] as const).filter((name) => changed.has(name));
	if (sent.length === 0) return undefined;
	return Object.fromEntries(sent.map((name) => [name, values[name] ? Number(values[name]) : null]));
}

function planFrom({ name = "", description = "", benefits, display_order: order = "" }: Values) {
	return { name, description, benefits: benefitsOf(benefits), displayOrder: Number(order === "" ? 0 : order) };
}

export function createPlan(state: State): Step {
	const { app } = state;
	if (app === undefined) return stay(say(state, "warn", "No App is chosen."));
	if (app.sells === false) return stay(say(state, "warn", unsoldText(state)));
	return openForm(state, {
		title: `New plan of ${app.name}`,
		fields: [
			{ kind: "text", name: "key", label: "Key", hint: "What the App's code knows it by; it never changes", value: "" },
			...wordsOf({}),
		],
		read(values) {
			const { key = "", name = "" } = values;
			if (key === "") return { errors: { key: "is needed, as gold" } };
			const { name: _, ...plan } = planFrom(values);
			return { kind: "new-plan", verb: "create", app: app.id, name: name === "" ? key : name, plan: { key, ...plan } };
		},
	});
}

function withPlan(state: State, act: (plan: ManagedPlan, app: AppInView) => Step): Step {
	const plan = selectedOf(listOf(state));
	if (plan?.object !== "plan" || state.app === undefined) return stay(say(state, "warn", "No plan is chosen."));
	if (plan.archived_at !== null) return stay(say(state, "warn", "It is archived for good."));
	return state.app.sells === false ? stay(say(state, "warn", unsoldText(state))) : act(plan, state.app);
}

export function editPlan(state: State): Step {
	return withPlan(state, (plan, app) =>
		openForm(state, {
			title: `Plan ${plan.name} (${plan.key})`,
			fields: [...wordsOf(plan), limit("images", "Images", plan), limit("bytes", "Bytes", plan)],
			read(values, first) {
				const changed = changedIn(values, first);
				if (changed.size === 0) return undefined;
				// What somebody else may have changed meanwhile stays as it is.
				const { displayOrder, ...words } = planFrom(values);
				const sent = Object.entries(words).filter(([name]) => changed.has(name));
				const limits = limitsFrom(values, changed);
				const changes = {
					...Object.fromEntries(sent),
					...(changed.has("display_order") && { displayOrder }),
					...(limits && { limits }),
				};
				return { kind: "plan-words", verb: "edit", app: app.id, id: plan.id, changes };
			},
		}),
	);
}

const PRICE: readonly Field[] = [
	{ kind: "text", name: "amount", label: "Amount", hint: "As buyers read it: 4.99", value: "" },
	{ kind: "text", name: "currency", label: "Currency", hint: "Its code, as usd or eur", value: "usd" },
	{
		kind: "choice",
		name: "interval",
		label: "Paid each",
		hint: "space changes it",
		value: "month",
		choices: INTERVALS,
	},
	{
		kind: "number",
		name: "trial_days",
		label: "Free for",
		unit: "days",
		hint: "0: paid from the first day",
		value: "0",
	},
];

export function addPrice(state: State): Step {
	return withPlan(state, (plan, app) =>
		openForm(state, {
			title: `New price of ${plan.name}: on sale at once, and its terms never change`,
			fields: PRICE,
			read({ amount: text = "", currency: code = "", interval = "", trial_days: days = "" }) {
				const currency = code.toLowerCase();
				const amount = minorUnits(text, currency);
				if (typeof amount === "string") return { errors: { amount } };
				const terms = { amount, currency, interval, trialDays: Number(days === "" ? 0 : days) };
				return { kind: "price", verb: "add", app: app.id, id: plan.id, terms };
			},
		}),
	);
}

export function editPrices(state: State): Step {
	return withPlan(state, (plan, app) => {
		if (plan.prices.length === 0) return stay(say(state, "warn", "It has no price yet; m adds one."));
		return openForm(state, {
			title: `Prices of ${plan.name}: which are on sale`,
			fields: plan.prices.map(
				(price): Field => ({
					name: price.id,
					label: priceText(price),
					hint: "Whoever pays it goes on paying it, on sale or not",
					...yesNo(price.on_sale),
				}),
			),
			read(values, first) {
				const changed = Object.entries(values).filter(([id, value]) => value !== first[id]);
				if (changed.length === 0) return undefined;
				const onSale = Object.fromEntries(changed.map(([id, value]) => [id, value === "yes"]));
				return { kind: "prices", verb: "edit", app: app.id, id: plan.id, onSale };
			},
		});
	});
}
