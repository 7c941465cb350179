import { listActivity } from "@svc/apps/activity/activity";
import { listWithdrawable, withdrawalSteps } from "@svc/billing/payers/leaving";
import { deleteAccount } from "@svc/erasure/close-account";
import { chooseLocale, startEmailChange } from "@svc/people/me";
import { requireSession } from "@svc/people/people";
import { text } from "@svc/variants/bounds";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { auditSchema, encodeAudit, readSince } from "../apps/audit.ts";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import { ok } from "../kit/call.ts";
import { readFlag } from "../kit/page.ts";
import { personRoute, sessionRoute } from "../kit/person.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { list, query, route } from "../kit/route.ts";
import { accountSchema, encodeAccount, locale } from "./account.ts";
import { loginSchema, mailed } from "./sessions.ts";

const changes = {
	email: v.optional(text(1_000, "must be an e-mail address")),
	locale: v.optional(v.nullable(locale)),
};

/** Routes about the account that is signed in. */
export function me(app: Elysia, rooms: ApiRooms): void {
	route(app, "GET", "/v1/me", personRoute(rooms, "any"), {
		operationId: "getMe",
		summary: "One's own account",
		tags: ["people"],
		answers: { 200: accountSchema },
		run: async ({ person }) => ok(encodeAccount(person.account)),
	});
	route(app, "PATCH", "/v1/me", personRoute(rooms, "any"), {
		operationId: "updateMe",
		summary:
			"Chooses the language of pages and mails (null: the browser’s); mails a code to a new address, which takes effect when it is verified",
		tags: ["people"],
		body: changes,
		answers: { 202: loginSchema, 200: accountSchema },
		run: async (call) => {
			requireSession(call.person);
			const { email, locale } = await call.input();
			const { person } = call;
			const account = locale === undefined ? person.account : await chooseLocale(rooms.people, person, locale);
			if (email === undefined) return ok(encodeAccount(account));
			const address = rooms.addressOf(call.request);
			return mailed(await startEmailChange(rooms.people, call.person, { email, address }));
		},
	});
	list(app, rooms, "/v1/me/activity", sessionRoute(rooms), {
		operationId: "listActivity",
		summary: "What was done to one's own account, by oneself and by operators",
		tags: ["people"],
		filters: [query("since")],
		of: auditSchema,
		scope: ({ person }) => person.account.id,
		find: ({ filters: { since }, ...span }, { person }) =>
			listActivity(rooms.apps, person.account, readSince(since), span),
		encode: encodeAudit,
	});
	route(app, "DELETE", "/v1/me", personRoute(rooms, "any"), {
		operationId: "deleteMe",
		summary:
			"Deletes one's own account and all that it keeps in Apps; what one may still withdraw from is paid back, unless withdraw=false; 409 while it owns an App",
		tags: ["people"],
		parameters: [{ name: "withdraw", in: "query", schema: { type: "boolean", default: true } }],
		answers: { 202: jobSchema },
		run: async ({ person, by, url }) => {
			const { account } = person;
			const isWithdrawing = readFlag(url.searchParams, "withdraw", true);
			const plans = isWithdrawing ? await listWithdrawable(rooms.billing, account) : [];
			const also = await withdrawalSteps(rooms.billing, { account, by }, plans);
			return accepted(await deleteAccount(rooms.erasure, person, by, also));
		},
	});
}
