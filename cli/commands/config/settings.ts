import { UsageError } from "../../exit.ts";
import type { FoundProfile } from "../../profile.ts";
import { didYouMean } from "../../suggest.ts";
import type { Column } from "../../table.ts";

/** The App that is meant unless `--app` says otherwise, and the address of the service. */
export const SETTING_NAMES = ["app", "base_url"] as const;

type SettingName = (typeof SETTING_NAMES)[number];

export interface Setting {
	readonly name: SettingName;
	readonly value: string | null;
	readonly profile: string;
}

export const SETTING_COLUMNS: readonly Column<Setting>[] = [
	{ name: "name", value: (setting) => setting.name },
	{ name: "value", value: (setting) => setting.value },
	{ name: "profile", value: (setting) => setting.profile },
];

/** @throws UsageError */
export function readName(word: string): SettingName {
	const name = SETTING_NAMES.find((known) => known === word);
	if (name !== undefined) return name;
	throw new UsageError(`There is no setting "${word}".${didYouMean(word, SETTING_NAMES)}`, "svc config get");
}

export function settingOf({ name: profile, profile: fields }: FoundProfile, name: SettingName): Setting {
	return { name, value: fields[name] ?? null, profile };
}
