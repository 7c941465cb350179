import { LIVE_CONNECTION_STATES } from "@svc/base/enumerations";
import { listWithdrawable, withdrawalSteps } from "@svc/billing/payers/leaving";
import type { OwnConnection } from "@svc/connect/connected-user";
import { listConnections } from "@svc/connect/users";
import { startDisconnect } from "@svc/erasure/disconnect";
import { about, dateTime, named, oneOf } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { appReference, encodeReference } from "../apps/app-reference.ts";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { isoDate } from "../kit/dates.ts";
import { readFlag } from "../kit/page.ts";
import { sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, route } from "../kit/route.ts";

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

export function encodeConnection(connection: OwnConnection): v.InferOutput<typeof connectionSchema> {
	return {
		id: connection.id,
		object: "connection",
		app: encodeReference(connection.app),
		user_id: connection.userId,
		state: connection.state,
		images: connection.images,
		bytes: connection.bytes,
		created_at: isoDate(connection.createdMs),
	};
}

/** The Apps that a person is connected to are theirs alone: no token reaches them. */
export function ownConnections(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/me/connections", sessionRoute(rooms), {
		operationId: "listConnections",
		summary: "The Apps that one is connected to",
		tags: ["me"],
		of: connectionSchema,
		scope: (call) => call.person.account.id,
		find: (page, call) => listConnections(rooms.connect, call.person.account, page),
		encode: encodeConnection,
	});
	route(app, "DELETE", "/v1/me/connections/:app", sessionRoute(rooms), {
		operationId: "disconnect",
		summary:
			"Ends the connection to an App at once and deletes one's images there in the background; what one may still withdraw from is paid back, unless withdraw=false",
		tags: ["me"],
		parameters: [{ name: "withdraw", in: "query", schema: { type: "boolean", default: true } }],
		answers: { 202: jobSchema },
		run: async ({ person, params, by, url }) => {
			const { account } = person;
			const isWithdrawing = readFlag(url.searchParams, "withdraw", true);
			const plans = isWithdrawing ? await listWithdrawable(rooms.billing, account, params.app) : [];
			const also = await withdrawalSteps(rooms.billing, { account, by }, plans);
			const connection = { appId: params.app, accountPk: account.pk };
			return accepted(await startDisconnect(rooms.erasure, { connection, startedBy: account.id, by, also }));
		},
	});
}
