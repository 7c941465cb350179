import type { Process } from "../process.ts";

/** How a text is written for people: what went well, what waits, what is wrong, what is over. */
export type Tone = "good" | "waiting" | "bad" | "over";

const WORDS: Readonly<Record<Tone, readonly string[]>> = {
	bad: ["blocked", "failed", "revoked", "disabled", "suspended", "past_due", "unpaid", "expired", "lost", "✗"],
	waiting: [
		"paused",
		"pending",
		"processing",
		"queued",
		"running",
		"locked",
		"nsfw",
		"open",
		"trialing",
		"reported",
	].concat(["incomplete", "retrying", "grace", "disabling", "starting"]),
	over: ["deleted", "archived", "ended", "canceled", "cancelled", "void", "dismissed", "off", "–"],
	good: ["active", "live", "enabled", "ready", "done", "sent", "delivered", "paid", "succeeded", "ok", "on", "✓"],
};

const CODES: Readonly<Record<Tone | "header", readonly [on: number, off: number]>> = {
	header: [1, 22],
	good: [32, 39],
	waiting: [33, 39],
	bad: [31, 39],
	over: [2, 22],
};

/** Columns whose words are states. */
const STATES = /^(state|status|outcome|access|ok|sign_in|selling)$/;

/** Writes a text in a tone; the text alone where there are no colours. */
export type Paint = (text: string, tone: Tone | "header" | undefined) => string;

/** Colours are for terminals; NO_COLOR forbids them, and FORCE_COLOR or CLICOLOR_FORCE asks for them in a pipe. */
export function paintFor({ env, out }: Pick<Process, "env" | "out">): Paint {
	const { NO_COLOR = "", FORCE_COLOR = "", CLICOLOR_FORCE = "", TERM } = env;
	const isForced = [FORCE_COLOR, CLICOLOR_FORCE].some((value) => value !== "" && value !== "0");
	const isPlain = NO_COLOR !== "" || (!isForced && (!out.isTerminal || TERM === "dumb" || FORCE_COLOR === "0"));
	return (text, tone) => {
		if (isPlain || tone === undefined || text === "") return text;
		const [on, off] = CODES[tone];
		return `\u001b[${on}m${text}\u001b[${off}m`;
	};
}

/** The tone of a state; of several the most serious one. */
export function toneOf(column: string, text: string): Tone | undefined {
	if (!STATES.test(column)) return undefined;
	const words = text.split(/[ ,]+/);
	const tones: readonly Tone[] = ["bad", "waiting", "over", "good"];
	return tones.find((tone) => words.some((word) => WORDS[tone].includes(word)));
}
