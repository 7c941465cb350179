import { changesFrom, listIn, nowOf, type Setting, type SettingValue } from "@svc/nouns/setting";
import { changedIn, type Field, type Values, yesNo } from "./form.ts";

/* Fields that are made of what can be set of a noun. */

/** Those with a label; what an older service does not have is left out. */
export function fieldsOf(settings: readonly Setting[], thing: object): readonly Field[] {
	return settings.flatMap((setting) => {
		const now = nowOf(setting, thing);
		return setting.label === undefined || now === undefined ? [] : [fieldOf(setting, setting.label, now)];
	});
}

function fieldOf(
	{ name, kind, hint, description, choices = [], unit = "" }: Setting,
	label: string,
	now: unknown,
): Field {
	const words = { name, label, hint: hint ?? description, value: String(now ?? "") };
	switch (kind) {
		case "text":
			return { ...words, kind };
		case "list":
			return { ...words, kind: "text" };
		case "number":
			return { ...words, kind, unit, empty: "no limit" };
		case "choice":
			return { ...words, kind, choices };
		case "switch":
			return { ...words, ...yesNo(now === true) };
	}
}

/** What was changed, as the SDK takes it; undefined where nothing was. */
export function changesIn(settings: readonly Setting[], values: Values, first: Values) {
	const changed = changedIn(values, first);
	const set = settings.filter(({ name }) => changed.has(name));
	if (set.length === 0) return undefined;
	return changesFrom(set.map((setting) => [setting, valueIn(setting, values[setting.name] ?? "")]));
}

function valueIn({ kind, isCleared }: Setting, text: string): SettingValue {
	if (kind === "switch") return text === "yes";
	if (kind === "list") return listIn(text);
	if (text === "" && (kind === "number" || isCleared)) return null;
	return kind === "number" ? Number(text) : text;
}
