import { UsageError } from "@svc/base/processes/exit";
import { changesFrom, listIn, type Setting, type SettingValue, type SettingValues } from "@svc/nouns/setting";
import { oneOf } from "./line/choice.ts";

/* Options that are made of what can be set of a noun. */

const ON_OFF = ["on", "off"] as const;

interface Option {
	readonly type: "string";
	readonly valueHint: string;
	readonly description: string;
}

/** An option for each. */
export function optionsOf(settings: readonly Setting[]): Readonly<Record<string, Option>> {
	return Object.fromEntries(
		settings.map((setting) => [
			setting.option,
			{ type: "string", valueHint: valueHintOf(setting), description: setting.description },
		]),
	);
}

function valueHintOf({ kind, choices = ON_OFF, valueHint }: Setting): string {
	if (kind === "choice" || kind === "switch") return choices.join("|");
	return valueHint ?? (kind === "number" ? "number" : "text");
}

/** Those that were named, as the SDK takes them. @throws UsageError where that is nothing */
export function readSettings(settings: readonly Setting[], args: object): Readonly<Record<string, unknown>> {
	const set: SettingValues = settings.flatMap((setting) => {
		const word: unknown = (args as Readonly<Record<string, unknown>>)[setting.option];
		return typeof word === "string" ? [[setting, valueIn(setting, word)] as const] : [];
	});
	if (set.length === 0) throw new UsageError(`Name what is to change, as --${settings[0]?.option}.`);
	return changesFrom(set);
}

function valueIn({ kind, choices = [], option, isCleared }: Setting, word: string): SettingValue {
	switch (kind) {
		case "text":
			return isCleared && word === "" ? null : word;
		case "list":
			return listIn(word);
		case "number":
			return readLimit(`--${option}`, word);
		case "choice":
			return oneOf(`--${option}`, word, choices);
		case "switch":
			return oneOf(`--${option}`, word, ON_OFF) === "on";
	}
}

/** Null for no limit. @throws UsageError */
export function readLimit(name: string, text: string): number | null {
	if (text === "none") return null;
	const limit = /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (Number.isSafeInteger(limit)) return limit;
	throw new UsageError(`${name} takes a whole number, or none for any number; not "${text}".`);
}
