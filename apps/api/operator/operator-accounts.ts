import { foldEmail } from "@svc/base/email";
import { ACCOUNT_STATUSES } from "@svc/base/enumerations";
import { addOperator, disableAccount, enableAccount, removeOperator } from "@svc/operator/accounts/operator-accounts";
import { text } from "@svc/variants/bounds";
import type { Elysia } from "elysia";
import { created, ok } from "../kit/call.ts";
import { schemaOf } from "../kit/document/document.ts";
import { readWord } from "../kit/page.ts";
import { freshAgain, operatorRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { deleted, tombstoneSchema } from "../kit/tombstone.ts";
import { accountSchema, accountStatus, encodeAccount } from "../people/account.ts";

const named = { email: text(1_000, "must be an e-mail address") };

/** Routes about who runs the service, and who may use it. */
export function operatorAccounts(app: Elysia, rooms: ApiRooms): void {
	operators(app, rooms);
	list(app, rooms, "/v1/operator/accounts", operatorRoute(rooms, "operator:read"), {
		operationId: "listAccounts",
		summary: "All accounts; q is how an e-mail address begins",
		tags: ["operator"],
		filters: [query("q"), query("status", schemaOf(accountStatus))],
		of: accountSchema,
		find({ filters, ...span }) {
			const status = readWord("status", filters.status, ACCOUNT_STATUSES);
			return rooms.operator.accounts.list({ ...span, status, prefix: filters.q ? foldEmail(filters.q) : undefined });
		},
		encode: encodeAccount,
	});
	route(app, "POST", "/v1/operator/accounts/:id/disable", operatorRoute(rooms, "operator:write"), {
		operationId: "disableAccount",
		summary: "Refuses a person's sessions, tokens and keys, and Apps' calls for that person, until enabled again",
		tags: ["operator"],
		answers: { 200: accountSchema },
		again: freshAgain,
		run: async ({ params, by }) => ok(encodeAccount(await disableAccount(rooms.operator, params.id, by))),
	});
	route(app, "POST", "/v1/operator/accounts/:id/enable", operatorRoute(rooms, "operator:write"), {
		operationId: "enableAccount",
		summary: "Lets a disabled account work again, with all that it had",
		tags: ["operator"],
		answers: { 200: accountSchema },
		run: async ({ params, by }) => ok(encodeAccount(await enableAccount(rooms.operator, params.id, by))),
	});
}

function operators(app: Elysia, rooms: ApiRooms): void {
	list(app, rooms, "/v1/operator/operators", operatorRoute(rooms, "operator:read"), {
		operationId: "listOperators",
		summary: "Accounts that run this service",
		tags: ["operator"],
		of: accountSchema,
		find: (span) => rooms.operator.operators.list(span),
		encode: encodeAccount,
	});
	route(app, "POST", "/v1/operator/operators", operatorRoute(rooms, "operator:write"), {
		operationId: "addOperator",
		summary: "Makes somebody an operator, by e-mail address",
		tags: ["operator"],
		body: named,
		answers: { 201: accountSchema },
		again: freshAgain,
		run: async (call) => {
			const { email } = await call.input();
			return created(encodeAccount(await addOperator(rooms.operator, email, call.person, call.by)));
		},
	});
	route(app, "DELETE", "/v1/operator/operators/:id", operatorRoute(rooms, "operator:write"), {
		operationId: "removeOperator",
		summary: "Makes an operator an ordinary account; the last one stays",
		tags: ["operator"],
		answers: { 200: tombstoneSchema },
		run: async ({ params, by }) => {
			await removeOperator(rooms.operator, params.id, by);
			return deleted("operator", params.id);
		},
	});
}
