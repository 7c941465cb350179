import { LIVE_CONNECTION_STATES } from "@svc/base/enumerations";
import { startDisconnect } from "@svc/connect/disconnect";
import { listConnections, type OwnConnection } from "@svc/connect/users";
import { requireSession } from "@svc/people/people";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import type { Answer } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { type PersonCall, personRoute } from "../kit/person.ts";

const connectionSchema = v.object({
	id: v.string(),
	object: v.literal("connection"),
	app: v.object({ id: v.string(), object: v.literal("app"), name: v.string() }),
	user_id: v.string(),
	state: v.picklist(LIVE_CONNECTION_STATES),
	images: v.number(),
	bytes: v.number(),
	created_at: v.string(),
});

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
export function ownConnections(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/me/connections",
		personRoute(deps, "any", async (call) => {
			requireSession(call.person);
			return await listPage(deps, call, {
				scope: call.person.account.id,
				find: (page) => listConnections(deps, call.person.account, page),
				encode: encodeConnection,
			});
		}),
		{
			detail: {
				operationId: "listConnections",
				summary: "The Apps that one is connected to",
				tags: ["me"],
				...answers(200, listSchema(connectionSchema)),
			},
		},
	);
	app.delete(
		"/v1/me/connections/:app",
		personRoute(deps, "any", (call) => disconnect(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "disconnect",
				summary: "Ends the connection to an App at once and deletes one's images there in the background",
				tags: ["me"],
				...answers(202, jobSchema),
			},
		},
	);
}

async function disconnect(deps: ApiDeps, { person, params, by }: PersonCall): Promise<Answer> {
	requireSession(person);
	const connection = { appId: params.app ?? "", accountPk: person.account.pk };
	return accepted(await startDisconnect(deps, { connection, startedBy: person.account.id, by }));
}
