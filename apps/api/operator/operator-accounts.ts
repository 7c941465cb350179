import { foldEmail } from "@svc/base/email";
import { ACCOUNT_STATUSES } from "@svc/base/enumerations";
import { invalid } from "@svc/base/failure";
import { addOperator, disableAccount, enableAccount, removeOperator } from "@svc/operator/operator-accounts";
import type { Elysia } from "elysia";
import * as v from "valibot";
import type { Answer } from "../kit/call.ts";
import { schemaOf } from "../kit/document.ts";
import { listPage, listSchema } from "../kit/page.ts";
import { operatorRoute, type PersonCall } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { accountSchema, accountStatus, encodeAccount } from "../people/account.ts";

const named = { email: v.string("must be a string") };

/** Who runs the service, and who may use it. */
export function operatorAccounts(app: Elysia, rooms: ApiRooms): void {
	operators(app, rooms);
	route(app, "GET", "/v1/operator/accounts", operatorRoute(rooms, { scope: "operator:read" }), {
		operationId: "listAccounts",
		summary: "All accounts; q is how an e-mail address begins",
		tags: ["operator"],
		parameters: [
			{ name: "q", in: "query", schema: { type: "string" } },
			{ name: "status", in: "query", schema: schemaOf(accountStatus) },
		],
		answers: { 200: listSchema(accountSchema) },
		run: (call) => list(rooms, call),
	});
	route(
		app,
		"POST",
		"/v1/operator/accounts/:id/disable",
		operatorRoute(rooms, { scope: "operator:write", fresh: true }),
		{
			operationId: "disableAccount",
			summary: "Refuses a person's sessions, tokens and keys, and Apps' calls for that person, until enabled again",
			tags: ["operator"],
			answers: { 200: accountSchema },
			run: async ({ params, by }) => {
				const account = await disableAccount(rooms.operator, params.id ?? "", by);
				return { status: 200, body: encodeAccount(account) };
			},
		},
	);
	route(app, "POST", "/v1/operator/accounts/:id/enable", operatorRoute(rooms, { scope: "operator:write" }), {
		operationId: "enableAccount",
		summary: "Lets a disabled account work again, with all that it had",
		tags: ["operator"],
		answers: { 200: accountSchema },
		run: async ({ params, by }) => {
			const account = await enableAccount(rooms.operator, params.id ?? "", by);
			return { status: 200, body: encodeAccount(account) };
		},
	});
}

function operators(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/operator/operators", operatorRoute(rooms, { scope: "operator:read" }), {
		operationId: "listOperators",
		summary: "Accounts that run this service",
		tags: ["operator"],
		answers: { 200: listSchema(accountSchema) },
		run: (call) =>
			listPage(rooms, call, { find: (span) => rooms.operator.operators.list(span), encode: encodeAccount }),
	});
	route(app, "POST", "/v1/operator/operators", operatorRoute(rooms, { scope: "operator:write", fresh: true }), {
		operationId: "addOperator",
		summary: "Makes somebody an operator, by e-mail address",
		tags: ["operator"],
		body: named,
		answers: { 201: accountSchema },
		run: async (call) => {
			const { email } = await call.input();
			return { status: 201, body: encodeAccount(await addOperator(rooms.operator, email, call.by)) };
		},
	});
	route(app, "DELETE", "/v1/operator/operators/:id", operatorRoute(rooms, { scope: "operator:write", fresh: true }), {
		operationId: "removeOperator",
		summary: "Makes an operator an ordinary account; the last one stays",
		tags: ["operator"],
		answers: { 200: tombstoneSchema },
		run: async ({ params, by }) => {
			const id = params.id ?? "";
			await removeOperator(rooms.operator, id, by);
			return deleted("operator", id);
		},
	});
}

function list(rooms: ApiRooms, call: PersonCall): Promise<Answer> {
	return listPage(rooms, call, {
		filters: ["q", "status"],
		find: ({ filters: { q, status: sent }, ...span }) => {
			const status = ACCOUNT_STATUSES.find((one) => one === sent);
			if (sent !== undefined && !status) throw invalid("status", `must be one of ${ACCOUNT_STATUSES.join(", ")}`);
			return rooms.operator.accounts.list({ ...span, status, prefix: q ? foldEmail(q) : undefined });
		},
		encode: encodeAccount,
	});
}
