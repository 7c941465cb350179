import type { Elysia } from "elysia";
import type * as v from "valibot";
import { created } from "../kit/call.ts";
import type { WantedRows } from "../kit/page.ts";
import { type AppCall, appRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";

type Named = readonly [operationId: string, summary: string];
type Wanted = "apps" | "keys";
type Rank = "viewer" | "admin";

interface Managed<Row, Item extends v.GenericSchema, Made extends v.GenericSchema, Body extends v.ObjectEntries> {
	/** What a token needs to read and to write them. */
	readonly scope: Wanted;
	/** The least role of who lists them; where nothing is said, everybody in the team. */
	readonly listedBy?: Rank;
	/** The same of who deletes one; where nothing is said, Admins. */
	readonly deletedBy?: Rank;
	readonly tag: string;
	/** As the tombstone calls it. */
	readonly object: string;
	readonly of: Item;
	encode(row: Row): v.InferOutput<Item>;
	readonly list: Named;
	find(page: WantedRows, call: AppCall): Promise<readonly (Row & { readonly pk: number })[]>;
	readonly create: Named;
	readonly body: Body;
	/** What is answered once, with its secret where it has one. */
	readonly made: Made;
	make(call: AppCall, sent: v.InferOutput<v.ObjectSchema<Body, undefined>>): Promise<v.InferOutput<Made>>;
	readonly delete: Named;
	remove(call: AppCall, id: string): Promise<unknown>;
}

/** Registers how an App's team lists, makes and deletes something of it; `path` ends in the parameter that names one. */
export function managedList<
	const Name extends string,
	Row,
	Item extends v.GenericSchema,
	Made extends v.GenericSchema,
	Body extends v.ObjectEntries,
>(
	app: Elysia,
	rooms: ApiRooms,
	[path, parameter]: readonly [path: `/v1/apps/:id/${string}`, parameter: Name],
	noun: Managed<Row, Item, Made, Body>,
): void {
	const { scope, tag, listedBy = "viewer", deletedBy = "admin" } = noun;
	const described = ([operationId, summary]: Named) => ({ operationId, summary, tags: [tag] });
	list(app, rooms, path, appRoute(rooms, `${scope}:read`, listedBy), {
		...described(noun.list),
		of: noun.of,
		find: (page, call) => noun.find(page, call),
		encode: (row: Row) => noun.encode(row),
	});
	route(app, "POST", path, appRoute(rooms, `${scope}:write`, "admin"), {
		...described(noun.create),
		body: noun.body,
		answers: { 201: noun.made },
		run: async (call) => created(await noun.make(call, await call.input())),
	});
	route(app, "DELETE", `${path}/:${parameter}`, appRoute(rooms, `${scope}:write`, deletedBy), {
		...described(noun.delete),
		answers: { 200: tombstoneSchema },
		run: async (call) => {
			const id = (call.params as Readonly<Record<string, string>>)[parameter] ?? "";
			await noun.remove(call, id);
			return deleted(noun.object, id);
		},
	});
}
