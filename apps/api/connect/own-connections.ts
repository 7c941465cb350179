import { LIVE_CONNECTION_STATES } from "@svc/base/enumerations";
import { startDisconnect } from "@svc/connect/disconnect";
import { listConnections, type OwnConnection } from "@svc/connect/users";
import { requireSession } from "@svc/people/people";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference } from "../apps/app-object.ts";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import type { Answer } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { type PersonCall, personRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const connectionSchema = named(
	"Connection",
	v.object({
		id: v.string(),
		object: v.literal("connection"),
		app: appReference,
		user_id: about(v.string(), "What the App knows this person by."),
		state: oneOf("ConnectionState", LIVE_CONNECTION_STATES),
		images: v.number(),
		bytes: v.number(),
		created_at: dateTime,
	}),
	"An App that the signed-in person is connected to.",
);

function encodeConnection(connection: OwnConnection): v.InferOutput<typeof connectionSchema> {
	return {
		id: connection.id,
		object: "connection",
		app: { id: connection.app.id, object: "app", name: connection.app.name },
		user_id: connection.userId,
		state: connection.state,
		images: connection.images,
		bytes: connection.bytes,
		created_at: isoDate(connection.createdMs),
	};
}

/** The Apps that a person is connected to are theirs alone: no token reaches them. */
export function ownConnections(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/me/connections", personRoute(rooms, "any"), {
		operationId: "listConnections",
		summary: "The Apps that one is connected to",
		tags: ["me"],
		answers: { 200: listSchema(connectionSchema) },
		run: async (call) => {
			requireSession(call.person);
			return await listPage(rooms, call, {
				scope: call.person.account.id,
				find: (page) => listConnections(rooms.connect, call.person.account, page),
				encode: encodeConnection,
			});
		},
	});
	route(app, "DELETE", "/v1/me/connections/:app", personRoute(rooms, "any"), {
		operationId: "disconnect",
		summary: "Ends the connection to an App at once and deletes one's images there in the background",
		tags: ["me"],
		answers: { 202: jobSchema },
		run: (call) => disconnect(rooms, call),
	});
}

async function disconnect(rooms: ApiRooms, { person, params, by }: PersonCall): Promise<Answer> {
	requireSession(person);
	const connection = { appId: params.app ?? "", accountPk: person.account.pk };
	return accepted(await startDisconnect(rooms.connect, { connection, startedBy: person.account.id, by }));
}
