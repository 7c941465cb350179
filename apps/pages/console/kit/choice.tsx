import { EVENT_TYPES } from "@svc/sdk/lists";
import type { ReactNode } from "react";
import { type Text, usePlain } from "../../kit/text.ts";
import { t } from "../messages.ts";

/* What narrows a list by words of the API. */

/** What an address says under these names; nothing of those that say nothing. */
export function asked<const Name extends string>(
	{ searchParams }: URL,
	...names: readonly Name[]
): Partial<Record<Name, string>> {
	const said = names.map((name) => [name, searchParams.get(name)?.trim()] as const);
	return Object.fromEntries(said.filter(([, value]) => value)) as Partial<Record<Name, string>>;
}

interface NarrowProps {
	readonly here: string;
	/** Of one field that is typed into. */
	readonly typed?: boolean;
	readonly children: ReactNode;
}

/** A form that narrows the list below it; the list is at the same address. */
export function Narrow({ here, typed = false, children }: NarrowProps) {
	return (
		<search>
			<form className={typed ? "search narrow" : "search"} method="get" action={here}>
				{children}
				<button className="quiet" type="submit">
					{t("search")}
				</button>
			</form>
		</search>
	);
}

interface ChoiceProps {
	readonly name: string;
	readonly label: Text;
	readonly value: string | undefined;
	/** What stands for no choice. */
	readonly any: Text;
	/** Whether the key for a search leads to it. */
	readonly leads: boolean;
	readonly children: ReactNode;
}

function Choice({ name, label, value, any, leads, children }: ChoiceProps) {
	return (
		<select name={name} data-keys={leads ? "/" : undefined} defaultValue={value ?? ""} aria-label={usePlain()(label)}>
			<option value="">{any}</option>
			{children}
		</select>
	);
}

interface StateChoiceProps {
	/** By the word of the API. */
	readonly states: Readonly<Record<string, Text>>;
	readonly value: string | undefined;
	/** Whether something else stands before it. */
	readonly besides?: boolean;
}

export function StateChoice({ states, value, besides = false }: StateChoiceProps) {
	return (
		<Choice name="state" label={t("state")} value={value} any={t("state.any")} leads={!besides}>
			{Object.entries(states).map(([word, text]) => (
				<option key={word} value={word}>
					{text}
				</option>
			))}
		</Choice>
	);
}

const OBJECTS = Map.groupBy(EVENT_TYPES, (type) => type.split(".")[0] ?? "");

interface TypeChoiceProps {
	readonly value: string | undefined;
	/** Types that no feed has. */
	readonly also?: readonly string[];
}

/** The types are words of the API, which programs read: they are the same in every language. */
export function TypeChoice({ value, also = [] }: TypeChoiceProps) {
	const offered = [...OBJECTS].flatMap(([object, types]) => [...(types.length > 1 ? [`${object}.*`] : []), ...types]);
	const all = [...offered, ...also];
	return (
		<Choice name="types" label={t("events.type")} value={value} any={t("events.types.all")} leads>
			{all.map((type) => (
				<option key={type} value={type}>
					{type}
				</option>
			))}
			{value !== undefined && !all.includes(value) && <option value={value}>{value}</option>}
		</Choice>
	);
}
