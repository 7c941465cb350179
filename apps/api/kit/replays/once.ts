import { noteChange } from "@svc/base/change-notes";
import { Failure } from "@svc/base/failure";
import type { ReplayClaim } from "@svc/keys/replay";
import { claimPost, dropClaim, keepAnswer, keyedPost, type ReplayScope } from "@svc/keys/replays";
import { isShownOnce } from "@svc/variants/shape";
import type * as v from "valibot";
import { readInput } from "../body/body.ts";
import type { Again, Answer, Call, PostedRoute } from "../call-types.ts";
import { readKey } from "../headers.ts";
import { statusOf } from "../refusals/failure.ts";
import type { ApiRooms } from "../rooms.ts";
import { rebuild } from "./rebuild.ts";

/* The one place where a POST under an Idempotency-Key is answered once: every route passes here once its guard has let the caller in. */

type AnswerSchema = v.GenericSchema<unknown, unknown>;

const REPLAYED = { "Idempotent-Replayed": "true" };

/** What an answer is bound to, and who may still have it. */
export interface Bound extends ReplayScope {
	/** Asks who the caller is by now: a body can take its time. Throws where they may not make the call any more. */
	readonly anew: () => Promise<unknown>;
}

/**
 * Runs a route's function, unless the same POST was answered before.
 * @param again asked before an answer is given again
 * @throws Failure validation_error for a key that is none, idempotency_key_conflict, idempotency_key_in_progress,
 * idempotency_recovery_conflict, and whatever `run` throws
 */
export async function once(
	rooms: ApiRooms,
	call: Call,
	bound: Bound,
	run: () => Promise<Answer>,
	again: Again | undefined,
): Promise<Answer> {
	const { posted } = call;
	const key = posted && readKey(call.request);
	if (posted === undefined || key === undefined) return await run();
	const body = await readFields(call, posted);
	// What cannot be understood is refused by the route itself, in its own order of checks.
	if (body === undefined) return await run();
	const { pathname, search } = call.url;
	const post = await keyedPost(bound, { path: pathname, key, body: [search, body] });
	const verdict = await claimPost(rooms.keys, post, call.requestId);
	if (verdict.act !== "run") await bound.anew();
	switch (verdict.act) {
		case "run":
			// The claim is the service's own: nothing that was asked for has happened yet.
			noteChange(false);
			return await runClaimed(rooms, posted, verdict.claim, run);
		case "replay": {
			const { status, body: text } = verdict.answer;
			const kept = { status, body: JSON.parse(text) };
			await again?.(kept);
			return { ...kept, headers: REPLAYED };
		}
		case "rebuild": {
			const empty = secretsOf(Object.values(posted.answers)[0]);
			const found = await rebuild(rooms, call, posted, verdict.kept, empty);
			if (found === undefined) throw answerLost(call);
			await again?.(found);
			const claim = { ...post, requestId: verdict.kept.requestId };
			await keepAnswer(rooms.keys, claim, { status: found.status, body: JSON.stringify(found.body) });
			return { ...found, headers: REPLAYED };
		}
	}
}

/** The fields as the route understands them; undefined where it refuses them. */
async function readFields(call: Call, { body, bounds }: PostedRoute): Promise<unknown> {
	if (body === undefined) return {};
	return await readInput(call, body, bounds).catch((cause: unknown) => {
		if (cause instanceof Failure) return undefined;
		throw cause;
	});
}

async function runClaimed(
	rooms: ApiRooms,
	posted: PostedRoute,
	claim: ReplayClaim,
	run: () => Promise<Answer>,
): Promise<Answer> {
	let answer: Answer;
	try {
		answer = await run();
	} catch (cause) {
		await dropClaim(rooms.keys, claim, isRefusal(cause));
		throw cause;
	}
	const { status, body } = answer;
	if (status >= 400) await dropClaim(rooms.keys, claim, status < 500);
	else
		await keepAnswer(rooms.keys, claim, { status, body: JSON.stringify(withoutSecrets(body, posted.answers[status])) });
	return answer;
}

function isRefusal(cause: unknown): boolean {
	return cause instanceof Failure && statusOf(cause) < 500;
}

/** Nothing that is stored shows a secret: what is shown once is null when it is answered again. */
function withoutSecrets(body: unknown, schema: AnswerSchema | undefined): unknown {
	return { ...(body as object), ...secretsOf(schema) };
}

function secretsOf(schema: AnswerSchema | undefined): Readonly<Record<string, null>> {
	const entries = schema && "entries" in schema ? (schema.entries as v.ObjectEntries) : {};
	const secrets = Object.entries(entries).filter(([, entry]) => isShownOnce(entry));
	return Object.fromEntries(secrets.map(([name]) => [name, null]));
}

function answerLost({ seenAt }: Call): Failure {
	const at = seenAt();
	const where = at ? ` GET ${at} shows it.` : "";
	const message = `What this Idempotency-Key asked for was done, and its answer got lost.${where} Use a new key for anything else.`;
	return Failure.saying("idempotency_recovery_conflict", message);
}
