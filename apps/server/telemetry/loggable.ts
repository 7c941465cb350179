import type { LogFacts } from "@svc/base/ports";

/* Facts as they can be written in a line of JSON: whatever was thrown, in full, but bounded, and without secrets. */

/** Of values inside of values, and of causes of causes. */
const MAX_DEPTH = 8;
const MAX_ENTRIES = 100;
const MAX_TEXT = 8_000;

// Redaction is the second line of defence; the first is that nothing secret is ever handed to the log.
const SECRET_NAMES: ReadonlySet<string> = new Set([
	"secret",
	"authorization",
	"api_key",
	"cookie",
	"token",
	"password",
]);
const REDACTED = "[redacted]";

/** What secrets look like inside of a sentence: our own, and those in the addresses and headers of others. */
const SECRETS: readonly (readonly [RegExp, string])[] = [
	[/\bsvc_[a-z_]*[0-9A-Za-z]{16,}/g, REDACTED],
	[/\b(Bearer|Basic) [\w.~+/=-]+/gi, `$1 ${REDACTED}`],
	[/\b(authToken|token|signature|secret|X-Amz-[\w-]+)=[^&\s"']+/gi, `$1=${REDACTED}`],
	[/:\/\/[^/\s:@]+:[^/\s@]+@/g, `://${REDACTED}@`],
];

/** The facts of a line. Errors become name, message, stack and cause, however deep they stand. */
export function loggable(facts: LogFacts): Record<string, unknown> {
	return entriesOf(facts, MAX_DEPTH);
}

function entriesOf(object: object, depth: number): Record<string, unknown> {
	const entries = Object.entries(object).slice(0, MAX_ENTRIES);
	return Object.fromEntries(
		entries.map(([name, value]) => [name, SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : plain(value, depth - 1)]),
	);
}

function plain(value: unknown, depth: number): unknown {
	if (typeof value === "string") return cleaned(value);
	if (typeof value === "object" && value !== null) return depth > 0 ? plainObject(value, depth) : "[more]";
	return JSON_TYPES.has(typeof value) ? value : String(value);
}

const JSON_TYPES: ReadonlySet<string> = new Set(["number", "boolean", "object", "undefined"]);

function plainObject(value: object, depth: number): unknown {
	if (value instanceof Error) return errorFacts(value, depth);
	if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => plain(item, depth - 1));
	if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
	if (value instanceof Date || value instanceof URL) return cleaned(String(value));
	if (value instanceof Map || value instanceof Set) return plain([...value], depth);
	return entriesOf(value, depth);
}

function errorFacts(error: Error, depth: number): Record<string, unknown> {
	const { name, message, stack, cause } = error;
	const { code, worker, price, errors } = error as {
		code?: unknown;
		worker?: unknown;
		price?: unknown;
		errors?: unknown;
	};
	const more = { code, worker, price, cause, errors: Array.isArray(errors) ? errors : undefined };
	return {
		name,
		message: cleaned(message),
		stack: cleaned(stack ?? ""),
		...entriesOf(Object.fromEntries(Object.entries(more).filter(([, fact]) => fact !== undefined)), depth),
	};
}

function cleaned(text: string): string {
	return SECRETS.reduce((left, [secret, instead]) => left.replaceAll(secret, instead), cut(text));
}

function cut(text: string): string {
	return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
