/** Something of a noun that can be set: an option of the command line, and where it has a label a field of the dashboard's form. */
export interface Setting {
	/** As the service names it, also where it refuses it: `free_limits.images`. */
	readonly name: string;
	/** Where the thing has it, if not there: `image_host.host`. */
	readonly now?: string;
	/** Where the changes of the SDK have it, if not there: `freeLimits.images`. */
	readonly sent?: string;
	/** A number that is none has no limit. A list is written with commas. */
	readonly kind: "text" | "list" | "number" | "choice" | "switch";
	readonly choices?: readonly string[];
	/** An empty text clears it. */
	readonly isCleared?: true;
	readonly option: string;
	readonly valueHint?: string;
	readonly description: string;
	readonly label?: string;
	/** What is said while its field is chosen; where nothing is, its description. */
	readonly hint?: string;
	/** What its number counts. */
	readonly unit?: string;
}

export type SettingValue = string | number | boolean | readonly string[] | null;

/** What of a noun is set to what. */
export type SettingValues = readonly (readonly [setting: Setting, value: SettingValue])[];

/** The same as the SDK takes it. */
export function changesFrom(set: SettingValues): Readonly<Record<string, unknown>> {
	const changes: Record<string, unknown> = {};
	for (const [{ name, sent = name }, value] of set) {
		const [first = "", below] = sent.split(".");
		const before = changes[first];
		changes[first] = below === undefined ? value : { ...(typeof before === "object" ? before : {}), [below]: value };
	}
	return changes;
}

export function listIn(text: string): readonly string[] {
	return text
		.split(",")
		.map((one) => one.trim())
		.filter((one) => one !== "");
}

/** What a setting is now; undefined where an older service does not have it. */
export function nowOf({ name, now = name }: Setting, thing: object): unknown {
	return now
		.split(".")
		.reduce<unknown>(
			(at, part) => (at === null ? null : (at as Readonly<Record<string, unknown>> | undefined)?.[part]),
			thing,
		);
}
