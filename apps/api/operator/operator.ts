import { Failure } from "@svc/base/failure";
import { networkOf } from "@svc/base/network";
import { bootstrapOperator } from "@svc/operator/bootstrap";
import { identifyPerson } from "@svc/people/people";
import { named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { tokenEntries } from "../apps/tokens.ts";
import { readJson } from "../kit/body.ts";
import { type Call, created, openRoute } from "../kit/call.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { accountSchema, encodeAccount } from "../people/account.ts";

const bootstrapSchema = v.object({
	secret: v.pipe(v.string("is required"), v.maxLength(1_000)),
	email: v.pipe(v.string("is required"), v.trim(), v.maxLength(254), v.email("must be an e-mail address")),
});

const tokenSchema = named(
	"FirstToken",
	v.object({
		...tokenEntries,
		secret: v.string(),
		account: accountSchema,
	}),
	"The first operator's token: `secret` is shown this once.",
);

export function operator(app: Elysia, rooms: ApiRooms): void {
	route(app, "POST", "/v1/operator/bootstrap", openRoute(rooms), {
		operationId: "bootstrap",
		summary: "Makes the first operator, once; needs SVC_BOOTSTRAP_SECRET",
		tags: ["operator"],
		security: [],
		body: bootstrapSchema.entries,
		answers: { 201: tokenSchema },
		run: (call) => bootstrap(rooms, call),
	});
}

async function bootstrap(rooms: ApiRooms, call: Call) {
	// Where bootstrapping is off or done, the endpoint does not exist.
	if (rooms.operator.bootstrapSecret === undefined || (await rooms.operator.setup.hasOperator()))
		throw new Failure("not_found");
	const sent = v.safeParse(bootstrapSchema, await readJson(call.request));
	if (!sent.success) throw new Failure("validation_error", v.flatten<typeof bootstrapSchema>(sent.issues).nested ?? {});
	const { secret, email } = sent.output;
	// Before anything is compared: a right guess must not shine through. One network alone cannot use up the tries of all.
	rooms.limits.bootstrapsPerNetwork.take(networkOf(rooms.addressOf(call.request)));
	rooms.limits.bootstraps.take("all");
	const made = await bootstrapOperator(rooms.operator, {
		expected: rooms.operator.bootstrapSecret,
		sent: secret,
		email,
		address: rooms.addressOf(call.request),
	});
	const { account } = await identifyPerson(rooms.people, made.secret);
	return created<v.InferOutput<typeof tokenSchema>>({
		id: made.tokenId,
		object: "token",
		name: made.tokenName,
		app_id: null,
		scopes: [...made.scopes].sort(),
		expires_at: isoDate(made.expiresMs),
		last_used_at: null,
		created_at: isoDate(made.createdMs),
		secret: made.secret,
		account: encodeAccount(account),
	});
}
