import { errorCode } from "../folders.ts";

/** More than this of an error's body is not read. */
const MAX_ERROR_BYTES = 16_384;

/** Worth another try although their status alone does not say so. */
const PASSING = new Set([
	"ConditionalRequestConflict",
	"InternalError",
	"OperationAborted",
	"RequestTimeout",
	"ServiceUnavailable",
	"SlowDown",
]);
const PASSING_STATUSES = new Set([429, 500, 502, 503, 504]);

const EXPLANATIONS: Readonly<Record<string, string>> = {
	AccessDenied: "these credentials may not do that in this bucket",
	AuthorizationHeaderMalformed: "the region is not the bucket's",
	AuthorizationQueryParametersError: "the region is not the bucket's",
	InvalidAccessKeyId: "the access key is unknown there",
	NoSuchBucket: "there is no such bucket",
	PermanentRedirect: "the bucket has another endpoint or region",
	TemporaryRedirect: "the bucket has another endpoint or region",
	SignatureDoesNotMatch: "the secret access key or the region is wrong",
};

/**
 * A request that an object store did not fulfil. Its message names method, key, status and the store's own code, and nothing else that
 * came over the network: what stores say in words repeats access keys and signatures.
 */
export class S3Error extends Error {
	override readonly name = "S3Error";
	/** Undefined where no whole answer came. */
	readonly status: number | undefined;
	/** True where another try may succeed; what this one did is then not known. */
	readonly passing: boolean;
	/** True where the store could not be reached, or was too busy. */
	readonly away: boolean;

	constructor(
		message: string,
		facts: { readonly status?: number; readonly passing: boolean; readonly away?: boolean; readonly cause?: unknown },
	) {
		super(message, { cause: facts.cause });
		this.status = facts.status;
		this.passing = facts.passing;
		this.away = facts.away ?? false;
	}
}

/** @param what method and key */
export async function refusalOf(what: string, response: Response): Promise<S3Error> {
	const { status } = response;
	const code = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(await beginning(response))?.[1];
	const explained = explanationOf(code, response);
	const said = [`${status}${code === undefined ? "" : ` ${code}`}`, explained].filter((part) => part !== undefined);
	const passing = PASSING_STATUSES.has(status) || (code !== undefined && PASSING.has(code));
	return new S3Error(`the object store answered ${what} with ${said.join(": ")}`, { status, passing, away: passing });
}

/** No answer, or one that broke off. */
export function silenceOf(what: string, cause: unknown): S3Error {
	const timedOut = cause instanceof Error && cause.name === "TimeoutError";
	const why = timedOut ? "in time" : `(${codeOf(cause) ?? "the connection failed"})`;
	return new S3Error(`the object store did not answer ${what} ${why}`, { passing: true, away: true, cause });
}

/** Node puts the error of the connection behind one that says nothing but "fetch failed". */
function codeOf(cause: unknown): string | undefined {
	return errorCode(cause) ?? (cause instanceof Error ? errorCode(cause.cause) : undefined);
}

function explanationOf(code: string | undefined, response: Response): string | undefined {
	if (code === "RequestTimeTooSkewed") return skewOf(response);
	if (code !== undefined) return EXPLANATIONS[code];
	return response.status >= 300 && response.status < 400 ? EXPLANATIONS.PermanentRedirect : undefined;
}

function skewOf(response: Response): string {
	const theirs = Date.parse(response.headers.get("date") ?? "");
	const seconds = Math.round(Math.abs(Date.now() - theirs) / 1_000);
	const apart = Number.isNaN(seconds) ? "" : ` by ${seconds} seconds`;
	return `the clock of this machine differs from the store's${apart}; set it right`;
}

async function beginning(response: Response): Promise<string> {
	const text = new TextDecoder();
	let read = "";
	for await (const chunk of response.body ?? []) {
		read += text.decode(chunk, { stream: true });
		if (read.length >= MAX_ERROR_BYTES) break;
	}
	return read;
}
