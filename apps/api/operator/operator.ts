import { Failure } from "@svc/base/failure";
import { bootstrapOperator } from "@svc/operator/bootstrap";
import type { Elysia } from "elysia";
import * as v from "valibot";
import { readJson } from "../kit/body.ts";
import { type Answer, type Call, openRoute } from "../kit/call.ts";
import type { ApiDeps } from "../kit/deps.ts";
import { answers, jsonBody } from "../kit/document.ts";

const bootstrapSchema = v.object({
	secret: v.pipe(v.string("is required"), v.maxLength(1_000)),
	email: v.pipe(v.string("is required"), v.trim(), v.maxLength(254), v.email("must be an e-mail address")),
});

const tokenSchema = v.object({
	id: v.string(),
	object: v.literal("token"),
	name: v.string(),
	scopes: v.array(v.string()),
	expires_at: v.string(),
	secret: v.string(),
	account: v.object({ id: v.string(), object: v.literal("account"), email: v.string(), operator: v.boolean() }),
});

export function operator(app: Elysia, deps: ApiDeps): void {
	app.post(
		"/v1/operator/bootstrap",
		openRoute(deps, (call) => bootstrap(deps, call)),
		{
			parse: "none",
			detail: {
				operationId: "bootstrap",
				summary: "Makes the first operator, once; needs SVC_BOOTSTRAP_SECRET",
				tags: ["operator"],
				security: [],
				...jsonBody(bootstrapSchema),
				...answers(201, tokenSchema),
			},
		},
	);
}

async function bootstrap(deps: ApiDeps, call: Call): Promise<Answer> {
	// Where it is off, and once it has been done, the endpoint does not exist.
	if (deps.bootstrapSecret === undefined || !(await deps.setup.isEmpty())) throw new Failure("not_found");
	const sent = v.safeParse(bootstrapSchema, await readJson(call.request));
	if (!sent.success) throw new Failure("validation_error", v.flatten<typeof bootstrapSchema>(sent.issues).nested ?? {});
	const { secret, email } = sent.output;
	const made = await bootstrapOperator(deps, { expected: deps.bootstrapSecret, sent: secret, email });
	const body: v.InferOutput<typeof tokenSchema> = {
		id: made.tokenId,
		object: "token",
		name: made.tokenName,
		scopes: [...made.scopes],
		expires_at: new Date(made.expiresMs).toISOString(),
		secret: made.secret,
		account: { id: made.accountId, object: "account", email, operator: true },
	};
	return { status: 201, body };
}
