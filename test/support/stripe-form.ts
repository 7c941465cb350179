/* Stripe's form encoding, and its refusals of what it does not know, misses or cannot read. */

export class StripeRefusal extends Error {
	readonly status: number;
	readonly body: Readonly<Record<string, unknown>>;

	constructor(status: number, error: Readonly<Record<string, unknown>>) {
		super(String(error.message ?? error.code));
		this.status = status;
		this.body = { error: { type: "invalid_request_error", doc_url: "https://stripe.com/docs/error-codes", ...error } };
	}
}

export function missing(what: string, id: string): StripeRefusal {
	return new StripeRefusal(404, { code: "resource_missing", param: "id", message: `No such ${what}: '${id}'` });
}

type Spec =
	| "string"
	| "text"
	| "integer"
	| "timestamp"
	| "boolean"
	| "url"
	/** Of strings to strings. */
	| "metadata"
	| { readonly one: readonly string[] }
	| { readonly list: Spec }
	/** `emptyable`: an empty text takes it away. */
	| { readonly fields: Fields; readonly emptyable?: true };
/** A name that ends in `!` has to be there. */
export type Fields = Readonly<Record<string, Spec>>;

/** As read: texts, numbers and booleans in objects and lists. */
export type Values = { readonly [name: string]: Value };
type Value = string | number | boolean | undefined | readonly Value[] | Values;

interface Tree {
	[name: string]: Tree | string;
}

/** @throws StripeRefusal naming the parameter */
export function readForm(fields: Fields, form: URLSearchParams): Values {
	const tree: Tree = Object.create(null) as Tree;
	for (const [name, value] of form) {
		const [first = "", ...rest] = name.split("[").map((part) => part.replace(/\]$/, ""));
		let at = tree;
		let last = first;
		for (const part of rest) {
			const next = at[last] ?? {};
			if (typeof next === "string") throw invalid(name, "Invalid form");
			at[last] = next;
			at = next;
			last = part === "" ? String(Object.keys(next).length) : part;
		}
		if (at[last] !== undefined) throw invalid(name, "Sent twice");
		at[last] = value;
	}
	return readFields(fields, tree, "");
}

function readFields(fields: Fields, tree: Tree, path: string): Values {
	const known = new Map(Object.entries(fields).map(([name, spec]) => [name.replace("!", ""), spec]));
	const values: Record<string, Value> = {};
	for (const [name, sent] of Object.entries(tree)) {
		const full = path === "" ? name : `${path}[${name}]`;
		const spec = known.get(name);
		if (spec === undefined) {
			const message = `Received unknown parameter: ${full}`;
			throw new StripeRefusal(400, { code: "parameter_unknown", param: full, message });
		}
		values[name] = readValue(spec, sent, full);
	}
	for (const name of Object.keys(fields)) {
		const bare = name.replace("!", "");
		if (name === bare || values[bare] !== undefined) continue;
		const full = path === "" ? bare : `${path}[${bare}]`;
		throw new StripeRefusal(400, {
			code: "parameter_missing",
			param: full,
			message: `Missing required param: ${full}.`,
		});
	}
	return values;
}

function readValue(spec: Spec, sent: Tree | string, path: string): Value {
	if (typeof spec === "object" && "fields" in spec && spec.emptyable && sent === "") return sent;
	if (typeof spec === "object" && "fields" in spec) return readFields(spec.fields, branch(sent, path), path);
	if (typeof spec === "object" && "list" in spec) {
		return Object.entries(branch(sent, path)).map(([index, one]) => readValue(spec.list, one, `${path}[${index}]`));
	}
	if (spec === "metadata") {
		return Object.fromEntries(Object.entries(branch(sent, path)).map(([name, one]) => [name, leaf(one, path)]));
	}
	return typeof spec === "object" ? readOne(spec.one, leaf(sent, path), path) : SCALARS[spec](leaf(sent, path), path);
}

function branch(sent: Tree | string, path: string): Tree {
	if (typeof sent === "string") throw invalid(path, `Invalid object: ${path}`);
	return sent;
}

function leaf(sent: Tree | string, path: string): string {
	if (typeof sent !== "string") throw invalid(path, `Invalid string: ${path}`);
	return sent;
}

function readOne(values: readonly string[], sent: string, path: string): string {
	if (!values.includes(sent)) throw invalid(path, `Invalid ${path}: must be one of ${values.join(", ")}`);
	return sent;
}

function readInteger(sent: string, path: string): number {
	if (!/^-?\d{1,15}$/.test(sent)) throw invalid(path, `Invalid integer: ${sent}`);
	return Number(sent);
}

const SCALARS = {
	text: (sent) => sent,
	integer: readInteger,
	timestamp: readInteger,
	boolean: (sent, path) => readOne(["true", "false"], sent, path) === "true",
	string(sent, path) {
		if (sent === "") throw invalid(path, `You passed an empty string for '${path}'.`);
		return sent;
	},
	url(sent, path) {
		if (!/^https?:\/\//.test(sent) || !URL.canParse(sent)) throw invalid(path, "Not a valid URL");
		return sent;
	},
} satisfies Record<Exclude<Spec, "metadata" | object>, (sent: string, path: string) => Value>;

function invalid(param: string, message: string): StripeRefusal {
	return new StripeRefusal(400, { code: "parameter_invalid", param, message });
}
