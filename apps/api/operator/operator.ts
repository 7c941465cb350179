import { isSameSecret } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import { networkOf } from "@svc/base/http/network";
import { bootstrapOperator } from "@svc/operator/bootstrap";
import { identifyPerson } from "@svc/people/visitors";
import { text } from "@svc/variants/bounds";
import { named } from "@svc/variants/shape";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { tokenEntries } from "../apps/tokens.ts";
import { readInput } from "../kit/body/body.ts";
import { created, openRoute } from "../kit/call.ts";
import type { Call } from "../kit/call-types.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { route } from "../kit/route.ts";
import { accountSchema, encodeAccount } from "../people/account.ts";

const EMAIL_RULE = "must be an e-mail address";

const bootstrapEntries = {
	secret: text(1_000, undefined, "is required"),
	email: v.pipe(text(1_000, EMAIL_RULE, "is required"), v.trim(), v.maxLength(254, EMAIL_RULE), v.email(EMAIL_RULE)),
};

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
		body: bootstrapEntries,
		answers: { 201: tokenSchema },
		run: (call) => bootstrap(rooms, call),
	});
}

/** @throws Failure rate_limited after too many wrong secrets */
function askTries({ limits }: ApiRooms, address: string): void {
	limits.bootstrapsPerNetwork.ask(networkOf(address));
	limits.bootstraps.ask("all");
}

async function bootstrap(rooms: ApiRooms, call: Call) {
	// Where bootstrapping is off or done, the endpoint does not exist.
	if (rooms.operator.bootstrapSecret === undefined || (await rooms.operator.setup.hasOperator()))
		throw new Failure("not_found");
	const address = rooms.addressOf(call.request);
	askTries(rooms, address);
	const { secret, email } = await readInput(call, bootstrapEntries);
	const isRight = await isSameSecret(rooms.operator.bootstrapSecret, secret);
	// Also for a right one: once the tries are used up, a guess must not shine through.
	askTries(rooms, address);
	if (!isRight) {
		// One network alone cannot use up the tries of all.
		rooms.limits.bootstrapsPerNetwork.take(networkOf(address));
		rooms.limits.bootstraps.take("all");
		throw Failure.saying("unauthorized", "The bootstrap secret is not the configured one.");
	}
	const made = await bootstrapOperator(rooms.operator, { email, address });
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
