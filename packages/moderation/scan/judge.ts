import { signedHeaders } from "@svc/base/crypto/standard-webhooks";
import { BLOCK_REASONS, type BlockReason, SCAN_VERDICTS, type ScanWord } from "@svc/base/enumerations";

/* Asking a service of the operator's own what it thinks of a picture. */

export interface Judge {
	readonly url: string;
	/** `whsec_…`, in which a key stands in base64. */
	readonly secret: string;
	/** What holds while it does not answer. */
	readonly absent: "pass" | "lock";
}

export interface ScanVerdict {
	readonly verdict: ScanWord;
	readonly reason: BlockReason;
}

interface Question {
	/** The same when it is asked again. */
	readonly id: string;
	readonly body: string;
	readonly nowMs: number;
}

const DEADLINE_MS = 5_000;
/** A verdict has a hundred. */
const ANSWER_MAX_BYTES = 16_384;

/**
 * Asks once. Its address may be a private one, or one of this machine, since who runs the service has set it and no stranger can: the rules for addresses of
 * strangers do not hold. Redirects are not followed all the same: the picture would go somewhere that nobody has named.
 * @throws Error where there is no answer in time, or none that says a verdict
 */
export async function ask(
	{ url, secret }: Judge,
	{ id, body, nowMs }: Question,
	stopped: AbortSignal,
): Promise<ScanVerdict> {
	const signed = signedHeaders({ id, seconds: Math.floor(nowMs / 1_000), body }, [secret]);
	const signal = AbortSignal.any([AbortSignal.timeout(DEADLINE_MS), stopped]);
	const headers = { ...signed, "content-type": "application/json", accept: "application/json" };
	const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
	if (!answer.ok) {
		await answer.body?.cancel();
		throw new Error(`it answered ${answer.status}`);
	}
	return verdictIn(await textOf(answer));
}

async function textOf({ body }: Response): Promise<string> {
	const pieces: Uint8Array[] = [];
	let bytes = 0;
	for await (const piece of body ?? []) {
		bytes += piece.length;
		if (bytes > ANSWER_MAX_BYTES) throw new Error(`it answered more than ${ANSWER_MAX_BYTES} bytes`);
		pieces.push(piece);
	}
	return Buffer.concat(pieces).toString();
}

/** A reason that is none of the service's is its most general one: the verdict holds. */
function verdictIn(text: string): ScanVerdict {
	const said = objectIn(text);
	const verdict = SCAN_VERDICTS.find((one) => one === said.verdict);
	if (!verdict) throw new Error("it answered no verdict");
	return { verdict, reason: BLOCK_REASONS.find((one) => one === said.reason) ?? "content_policy" };
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
	try {
		const parsed: unknown = JSON.parse(text);
		return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
	} catch {
		return {};
	}
}
