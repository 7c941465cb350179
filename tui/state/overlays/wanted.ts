import { readDate } from "@svc/base/words/dates";
import { imageUrl, readValue } from "@svc/sdk/transform";
import type { Action } from "../acts/action.ts";
import type { Wanted } from "./overlay.ts";

const NEEDS_NAME = "It needs a name; esc makes no key.";
const MILLISECONDS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

type Wished = Action | { readonly copy: string } | { readonly run: string };

/** What the text that was asked for does, or why it cannot be that text. */
export function actOf(wanted: Wanted, text: string, nowMs: number): Wished | string {
	switch (wanted.kind) {
		case "command":
			return { run: `${wanted.line} ${text}`.trim() };
		case "address":
			return addressOf(wanted.url, text);
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
	}
}

/** The image's address with what was typed, as `w=400 format=webp`; or what the service would ignore of it. */
function addressOf(url: string, text: string): { readonly copy: string } | string {
	const options: Record<string, unknown> = {};
	for (const word of text.split(/[\s&]+/).filter(Boolean)) {
		const [name = "", ...rest] = word.split("=");
		const value = readValue(name, rest.join("="));
		if (value === undefined) return `The service would ignore ${word}: /docs has what it takes.`;
		options[name] = value;
	}
	return { copy: imageUrl(url, options) };
}

/** A date as it is, a duration as the time so long ago. */
function sinceOf(text: string, nowMs: number): string | undefined {
	const [, amount, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
	const atMs = amount === undefined ? readDate(text) : nowMs - Number(amount) * (MILLISECONDS[unit] ?? 0);
	return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
