import type { Preset } from "@svc/sdk/shapes";
import type { Action } from "./action.ts";
import type { Wanted } from "./model.ts";

const NEEDS_NAME = "It needs a name; esc makes no key.";
const MILLISECONDS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What the text that was asked for does, or why it cannot be that text. */
export function actOf(wanted: Wanted, text: string, nowMs: number): Action | string {
	switch (wanted.kind) {
		case "new-signing-key":
			return text === "" ? NEEDS_NAME : { kind: "new-signing-key", app: wanted.app, verb: "create", name: text };
		case "new-webhook":
			return URL.canParse(text)
				? { kind: "new-webhook", app: wanted.app, verb: "create", name: text }
				: "It needs an address, as https://app.example.com/hooks; esc adds none.";
		case "recover": {
			const since = sinceOf(text, nowMs);
			if (since === undefined) return "That is no time: 90m, 24h, 7d, or a date.";
			return { kind: "recover", app: wanted.app, id: wanted.id, verb: "recover", since };
		}
		case "new-preset":
			return presetActOf(wanted.app, undefined, formOf(text));
		case "preset":
			return presetActOf(wanted.app, wanted.id, formOf(text));
	}
}

/** `id` is that of the preset which is edited. */
function presetActOf(app: string, id: string | undefined, form: Form | string): Action | string {
	if (typeof form === "string") return form;
	if (id === undefined) return { kind: "new-preset", app, verb: "create", ...form };
	return { kind: "preset", app, id, verb: "edit", ...form };
}

/** A preset as one line: its name, then its parameters as in an address. */
export function presetText({ name, parameters }: Form): string {
	return [name, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(" ");
}

type Form = Pick<Preset, "name" | "parameters">;

/** The preset, or what is wrong with the line. */
function formOf(text: string): Form | string {
	const [name = "", ...words] = text.split(/\s+/);
	if (name === "" || name.includes("=")) return "First its name, then its parameters: thumb w=300 h=300 fit=cover.";
	const parameters = new Map<string, string>();
	for (const word of words) {
		const [, key, value] = /^([^=]+)=(.+)$/.exec(word) ?? [];
		if (key === undefined || value === undefined) return `A parameter is name=value; not "${word}".`;
		if (parameters.has(key)) return `${key} is there twice.`;
		parameters.set(key, value);
	}
	return parameters.size === 0
		? "It needs a parameter, as w=300."
		: { name, parameters: Object.fromEntries(parameters) };
}

/** A date as it is, a duration as the time so long ago. */
function sinceOf(text: string, nowMs: number): string | undefined {
	const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
	const atMs = amount === undefined ? Date.parse(text) : nowMs - Number(amount) * (MILLISECONDS[unit] ?? 0);
	return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
