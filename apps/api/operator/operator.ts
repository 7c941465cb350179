import { Failure } from "@svc/base/failure";
import { networkOf } from "@svc/base/network";
import { bootstrapOperator } from "@svc/operator/bootstrap";
import { dateTime, named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { scope } from "../apps/tokens.ts";
import { readJson } from "../kit/body.ts";
import { type Call, created, openRoute } from "../kit/call.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";

const bootstrapSchema = v.object({
	secret: v.pipe(v.string("is required"), v.maxLength(1_000)),
	email: v.pipe(v.string("is required"), v.trim(), v.maxLength(254), v.email("must be an e-mail address")),
});

const tokenSchema = named(
	"FirstToken",
	v.object({
		id: v.string(),
		object: v.literal("token"),
		name: v.string(),
		scopes: v.array(scope),
		expires_at: dateTime,
		secret: v.string(),
		account: named(
			"FirstOperator",
			v.object({ id: v.string(), object: v.literal("account"), email: v.string(), operator: v.boolean() }),
		),
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
	});
	return created<v.InferOutput<typeof tokenSchema>>({
		id: made.tokenId,
		object: "token",
		name: made.tokenName,
		scopes: [...made.scopes],
		expires_at: new Date(made.expiresMs).toISOString(),
		secret: made.secret,
		account: { id: made.accountId, object: "account", email, operator: true },
	});
}
