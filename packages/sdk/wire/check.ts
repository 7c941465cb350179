/* What a function was given, looked at before it does anything: plain JavaScript has no compiler that would. What each takes is made from its
   types: `npm run generate`. */

/** Kinds of a value, as `Date|string|null`, or the fields of an object. */
export type Takes = string | Fields;

/**
 * Fields by name. With `?` one may be left out or undefined; with `!` it may be left out, and has a value where it is named. `|`: what else it
 * may be; `[]`: a list of these; `*`: any other field.
 */
export interface Fields {
	readonly [name: string]: Takes;
}

/** Of a call its parameters, in their order. With `gives`, the calls on what it gives, nothing of it is a promise. */
export type Call = readonly [parameters: Fields, gives?: Calls];

export interface Calls {
	readonly [name: string]: Call | Calls;
}

const KINDS: Readonly<Record<string, string>> = {
	string: "a string",
	"string[]": "a list of strings",
	number: "a number",
	"number[]": "a list of numbers",
	boolean: "true or false",
	function: "a function",
	object: "an object",
	Date: "a valid Date",
	bytes: "a Blob, bytes, a stream",
	list: "a list",
};

/** Said of values that are missing or wrong more often than others. */
const CURES: Readonly<Record<string, string>> = {
	apiKey: "is SVC_API_KEY set? null sends none",
	user: "null means the App storage",
	file: "for a path of this machine, give await openAsBlob(path)",
	body: "give the text of the request as it came, before anything has parsed it",
	secret: "is its variable set?",
};

/** What a value is, for a sentence: never the value, which may be a secret. */
function kindOf(value: unknown): string {
	if (value === undefined || value === null || Number.isNaN(value)) return String(value);
	if (value instanceof Date) return "an invalid Date";
	return KINDS[Array.isArray(value) ? "list" : typeof value] ?? typeof value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
	typeof value === "object" && value !== null && !Array.isArray(value);

function isKind(kind: string, value: unknown): boolean {
	const item = kind.endsWith("[]") && kind.slice(0, -2);
	if (item) return Array.isArray(value) && value.every((one) => isKind(item, one));
	if (kind === "any" || (kind === "null" && value === null)) return true;
	if (kind === "Date") return value instanceof Date && !Number.isNaN(value.getTime());
	if (kind === "bytes") return isObject(value) && BYTES.some((name) => name in value);
	if (kind === "object") return isObject(value);
	return typeof value === kind && !Number.isNaN(value);
}

/** What a Blob, bytes, a web stream and a stream of Node have, of whatever realm they are. */
const BYTES = ["arrayBuffer", "byteLength", "getReader", Symbol.asyncIterator];

/** Options stand for themselves; of anything else the fields are named below it. */
const below = (path: string, name: string) => (path.endsWith(": options") ? path.slice(0, -7) : `${path}.`) + name;

/** @throws TypeError naming the field, what it takes and a cure */
function checkValue(value: unknown, takes: Takes, path: string): void {
	const { "|": kinds = "", "[]": item, "*": rest, ...fields } = typeof takes === "string" ? { "|": takes } : takes;
	if (isOneOf(String(kinds), value)) return;
	if (item !== undefined && Array.isArray(value)) {
		for (const [place, one] of value.entries()) checkValue(one, item, `${path}[${place}]`);
		return;
	}
	const others = typeof takes === "string" ? "" : item === undefined ? "|object" : "|list";
	if (others !== "|object" || !isObject(value)) throw wrongKind(value, `${kinds}${others}`, path);
	checkFields(value, fields, rest, path);
}

const isOneOf = (kinds: string, value: unknown) => kinds.split("|").some((kind) => isKind(kind, value));

const sentence = (text: string) => (text.endsWith("?") ? text : `${text}.`);

function wrongKind(value: unknown, kinds: string, path: string): TypeError {
	const wanted = kinds
		.split("|")
		.filter(Boolean)
		.map((kind) => KINDS[kind] ?? kind);
	const last = wanted.pop();
	const cure = CURES[path.split(/[ .]/).pop() ?? ""];
	const all = wanted.length > 0 ? `${wanted.join(", ")} or ${last}` : last;
	const fault = value === undefined && cure ? "is undefined" : `must be ${all}, and is ${kindOf(value)}`;
	return new TypeError(sentence(`${path} ${fault}${cure ? `: ${cure}` : ""}`));
}

function checkFields(
	values: Readonly<Record<string, unknown>>,
	fields: Fields,
	rest: Takes | undefined,
	path: string,
): void {
	const names = new Set(Object.keys(fields).map((key) => key.replace(/[?!]$/, "")));
	for (const [name, value] of Object.entries(values)) {
		if (names.has(name) || value === undefined) continue;
		if (rest === undefined) throw unknownOption(path, name, [...names]);
		checkValue(value, rest, below(path, name));
	}
	for (const [key, takes] of Object.entries(fields)) {
		const name = key.replace(/[?!]$/, "");
		const mayBeLeftOut = key.endsWith("?") || (key.endsWith("!") && !(name in values));
		if (values[name] !== undefined || !mayBeLeftOut) checkValue(values[name], takes, below(path, name));
	}
}

/** @internal */
export function unknownOption(path: string, name: string, known: readonly string[]): TypeError {
	const bare = (text: string) => text.replaceAll("_", "").toLowerCase();
	const meant =
		known.find((one) => bare(one) === bare(name)) ?? known.find((one) => name.startsWith(one) || one.startsWith(name));
	const cure = meant === undefined ? `there are ${known.join(", ")}` : `did you mean ${meant}?`;
	return new TypeError(sentence(`${below(path, name)} is not an option: ${cure}`));
}

/**
 * Looks at the arguments of a function.
 * @param name as one writes it: `images.get`
 * @throws TypeError naming what is missing, unknown, or of a wrong kind, and what to give
 */
export function checkArguments(name: string, parameters: Fields, given: readonly unknown[]): void {
	Object.entries(parameters).forEach(([key, takes], place) => {
		const value = given[place];
		if (value !== undefined || !key.endsWith("?")) checkValue(value, takes, `${name}: ${key.replace("?", "")}`);
	});
}

type AnyCall = (...given: readonly unknown[]) => unknown;

/** The same calls, each of which looks at its arguments first. A call that gives a promise rejects with what it finds, others throw it. */
export function checked<T extends object>(calls: T, takes: Calls, path = ""): T {
	const entries = Object.entries(calls).map(([name, held]: [string, unknown]) => {
		const taken = takes[name];
		const place = `${path}${name}`;
		if (typeof held !== "function") return [name, checked(held as object, (taken ?? {}) as Calls, `${place}.`)];
		return [name, checkedCall(held as AnyCall, taken as Call, place)];
	});
	return Object.fromEntries(entries) as T;
}

function checkedCall(call: AnyCall, [parameters, gives]: Call, name: string): AnyCall {
	if (gives === undefined) {
		return async (...given) => {
			checkArguments(name, parameters, given);
			return await call(...given);
		};
	}
	return (...given) => {
		checkArguments(name, parameters, given);
		const made = call(...given);
		return Object.keys(gives).length === 0 ? made : checked(made as object, gives, `${name}().`);
	};
}
