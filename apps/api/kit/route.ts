import type { KEY_OR_NONE } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readInput } from "./body/body.ts";
import type { JsonBounds } from "./body/json-bounds.ts";
import type { Answer, Call, Guard, RouteHandler } from "./call-types.ts";
import type { JsonSchema } from "./document/components.ts";
import { answers as answersOf, jsonBody } from "./document/document.ts";
import { listPage, listSchema, refuseParameters, type WantedRows } from "./page.ts";
import type { ApiRooms } from "./rooms.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How the API document describes a route. */
interface Described {
	readonly operationId: string;
	readonly summary: string;
	readonly description?: string;
	readonly tags: readonly string[];
	/** Empty for a route that takes no key, and `KEY_OR_NONE` for one at which it may be left out. */
	readonly security?: [] | typeof KEY_OR_NONE;
}

export interface RouteParameter {
	readonly name: string;
	readonly in: "query" | "header";
	readonly schema: JsonSchema;
	readonly description?: string | undefined;
	readonly required?: true;
}

type Schemas = Readonly<Record<number, v.GenericSchema<unknown, unknown>>>;

/** An answer as it is given again. */
type Kept<Answers extends Schemas> = Answer<v.InferOutput<Answers[keyof Answers & number]>>;

interface Route<Known extends Call, Path extends string, Entries extends v.ObjectEntries, Answers extends Schemas>
	extends Described {
	readonly parameters?: readonly RouteParameter[];
	/** Where the route reads its query itself, or others were given the address and may add to it. */
	readonly anyQuery?: true;
	/** Fields of the JSON body. */
	readonly body?: Entries;
	/** Of the body, where they are not the usual. */
	readonly bounds?: JsonBounds;
	/** Answers by status. */
	readonly answers: Answers;
	run(call: Known & Named<Path> & Input<Entries>): Promise<Kept<Answers>>;
	/**
	 * Of a POST: asked before an answer is given again under its Idempotency-Key. Throws where `run` would refuse this caller for a reason
	 * that the guard does not know, and where what the answer tells of has moved.
	 */
	again?(call: Known & Named<Path> & Input<Entries>, answer: Kept<Answers>): unknown;
}

/** A call whose address holds the parameters that the route's path names. */
interface Named<Path extends string> {
	readonly params: Readonly<Record<NamesIn<Path>, string>>;
}

type NamesIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
	? Name | NamesIn<`/${Rest}`>
	: Path extends `${string}/:${infer Name}`
		? Name
		: never;

interface Input<Entries extends v.ObjectEntries> {
	/**
	 * The fields of the body, read when they are asked for: what refuses a call beforehand does so without them.
	 * @throws Failure as {@link readInput}
	 */
	input(): Promise<v.InferOutput<v.ObjectSchema<Entries, undefined>>>;
}

/** On every POST whose caller is known. */
const IDEMPOTENCY_HEADER: RouteParameter = {
	name: "Idempotency-Key",
	in: "header",
	schema: { type: "string", minLength: 1, maxLength: 255 },
	description: "Sent again within 24 hours with the same body, the call is answered as before instead of made twice",
};

/** Registers a route together with its entry in the API document. */
export function route<
	Known extends Call,
	const Path extends string,
	Entries extends v.ObjectEntries,
	Answers extends Schemas,
>(
	app: Elysia,
	method: Method,
	path: Path,
	guard: Guard<Known>,
	{ run, again, body, bounds, answers, anyQuery, ...described }: Route<Known, Path, Entries, Answers>,
): void {
	const handler = guard((call) => {
		if (!anyQuery) refuseUnknown(call.url.searchParams, described.parameters ?? []);
		const input = () => readInput(call, body ?? ({} as Entries), bounds);
		const whole = { ...call, input } as Known & Named<Path> & Input<Entries>;
		return call.once(
			() => run(whole),
			(answer) => again?.(whole, answer as Kept<Answers>),
		);
	});
	const detail = { ...described, ...(body && jsonBody(v.object(body))) };
	if (method === "POST") {
		const posted = { body, bounds, answers, handle: (request: Request) => app.handle(request) };
		const ofHeader = described.security?.length === 0 ? [] : [IDEMPOTENCY_HEADER];
		const parameters = [...(described.parameters ?? []), ...ofHeader];
		const keyed: RouteHandler = (context) => handler({ ...context, posted });
		register(app, method, path, keyed, { ...detail, parameters, ...responsesOf(answers) });
	} else {
		register(app, method, path, handler, { ...detail, ...responsesOf(answers) });
	}
}

function refuseUnknown(sent: URLSearchParams, known: readonly RouteParameter[]): void {
	const names = new Set(known.flatMap(({ name, in: where }) => (where === "query" ? [name] : [])));
	refuseParameters(sent, (name) => names.has(name));
}

/** A row by whose number lists go on. */
interface Numbered {
	readonly pk: number;
}

interface List<Known extends Call, Path extends string, Row, Item extends v.GenericSchema> extends Described {
	/** Query parameters that filter the list. */
	readonly filters?: readonly RouteParameter[];
	/** Headers that select what is listed. */
	readonly headers?: readonly RouteParameter[];
	/** The schema of the list's items. */
	readonly of: Item;
	/** Names the list's owner, where its address does not: cursors are bound to it. */
	scope?(call: Known): string;
	find(page: WantedRows, call: Known & Named<Path>): Promise<readonly (Row & Numbered)[]>;
	encode(row: Row): v.InferOutput<Item>;
}

/** Registers a route that answers a list in pages. */
export function list<Known extends Call, const Path extends string, Row, Item extends v.GenericSchema>(
	app: Elysia,
	rooms: ApiRooms,
	path: Path,
	guard: Guard<Known>,
	{ of, filters, headers, scope, find, encode, ...described }: List<Known, Path, Row, Item>,
): void {
	const handler = guard((call) =>
		listPage<Row & Numbered>(rooms, call, {
			filters: filters?.map(({ name }) => name),
			scope: scope?.(call),
			find: (page) => find(page, call as Known & Named<Path>),
			encode,
		}),
	);
	register(app, "GET", path, handler, {
		...described,
		...((headers || filters) && { parameters: [...(headers ?? []), ...(filters ?? [])] }),
		...responsesOf({ 200: listSchema(of) }),
	});
}

/** What the router gives a handler. */
type Served = Omit<Parameters<RouteHandler>[0], "template" | "posted">;

function responsesOf(answers: Schemas) {
	const responses = Object.entries(answers).map(([status, schema]) => answersOf(Number(status), schema).responses);
	return { responses: Object.assign({}, ...responses) };
}

/** Registers a handler together with its entry in the API document. */
export function register(app: Elysia, method: string, path: string, handler: RouteHandler, detail: object): void {
	const served = ({ request, params, seenAt }: Served) => handler({ request, params, seenAt, template: path });
	// Bodies are read by the route, after the caller is known.
	app.route(method, path, served, { parse: "none", detail });
}

/** A parameter in the query; text, unless a schema says otherwise. */
export function query(name: string, schema: JsonSchema = { type: "string" }, description?: string): RouteParameter {
	return { name, in: "query", schema, ...(description !== undefined && { description }) };
}
