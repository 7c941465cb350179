import { deleteAccount } from "@svc/erasure/close-account";
import { startEmailChange } from "@svc/people/me";
import { requireSession } from "@svc/people/people";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { accepted, jobSchema } from "../jobs/jobs.ts";
import type { Answer } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";
import { readInput } from "../kit/input.ts";
import { type PersonCall, personRoute } from "../kit/person.ts";
import { accountSchema, encodeAccount } from "./account.ts";
import { loginSchema, mailed } from "./logins.ts";

const changes = {
	email: v.optional(v.pipe(v.string("must be a string"), v.maxLength(1_000, "must be an e-mail address"))),
};

/** Who is signed in. */
export function me(app: Elysia, deps: ApiDeps): void {
	app.get(
		"/v1/me",
		personRoute(deps, "any", async ({ person }) => ({ status: 200, body: encodeAccount(person.account) })),
		{
			detail: { operationId: "getMe", summary: "One's own account", tags: ["people"], ...answers(200, accountSchema) },
		},
	);
	app.patch(
		"/v1/me",
		personRoute(deps, "any", (call) => update(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "updateMe",
				summary: "Mails a code to a new address, which takes effect when that code is verified",
				tags: ["people"],
				...jsonBody(v.object(changes)),
				responses: { ...answers(202, loginSchema).responses, ...answers(200, accountSchema).responses },
			},
		},
	);
	app.delete(
		"/v1/me",
		personRoute(deps, "any", async ({ person, by }) => accepted(await deleteAccount(deps, person, by))),
		{
			parse: "none",
			detail: {
				operationId: "deleteMe",
				summary: "Deletes one's own account and all that it keeps in Apps; 409 while it owns an App",
				tags: ["people"],
				...answers(202, jobSchema),
			},
		},
	);
}

async function update(deps: ApiDeps, call: PersonCall): Promise<Answer> {
	requireSession(call.person);
	const { email } = await readInput(call, changes);
	if (email === undefined) return { status: 200, body: encodeAccount(call.person.account) };
	const address = deps.addressOf(call.request);
	return mailed(await startEmailChange(deps, call.person, { email, address }));
}
