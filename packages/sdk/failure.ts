import type { ErrorAction, ErrorBody, ErrorCode, ErrorObject, ErrorType } from "./shapes.ts";
import type { Open } from "./types.ts";

/** The service answered with an error. `code` says which; `requestId` finds the call in the service's log. */
export class ApiError extends Error {
	override readonly name = "ApiError";
	/** HTTP status. */
	readonly status: number;
	readonly code: Open<ErrorCode>;
	readonly type: Open<ErrorType>;
	/** Messages by the field they are about. */
	readonly details: ErrorObject["details"] | undefined;
	readonly action: ErrorAction | undefined;
	/** Whole seconds after which the same request may succeed. */
	readonly retryAfterSeconds: number | undefined;
	readonly requestId: string | undefined;
	/** Address of the page that explains the code, and says what to do. */
	readonly help: string | undefined;

	constructor(
		status: number,
		error: ErrorObject,
		facts: Partial<Pick<ApiError, "retryAfterSeconds" | "requestId" | "help">> = {},
	) {
		super(error.message);
		this.status = status;
		this.code = error.code;
		this.type = error.type;
		this.details = error.details;
		this.action = error.action;
		this.retryAfterSeconds = facts.retryAfterSeconds;
		this.requestId = facts.requestId;
		this.help = facts.help;
	}
}

const REASONS = {
	network: "The service could not be reached",
	timeout: "The service did not answer in time",
	redirect: "The service answered with a redirect, which is not followed because it would carry the key elsewhere",
	malformed: "The service answered with something that is not its own",
} as const;

/** No usable answer arrived: whether the service acted on the request is not known. */
export class ConnectionError extends Error {
	override readonly name = "ConnectionError";
	readonly reason: keyof typeof REASONS;

	constructor(reason: keyof typeof REASONS, detail: string, options?: ErrorOptions) {
		super(`${REASONS[reason]}: ${detail}`, options);
		this.reason = reason;
	}
}

/** The code of an error answer without the service's envelope: a proxy in between spoke, not the service. @internal */
export const FOREIGN_ERROR = "foreign_error";

/** `body` is the parsed JSON, or the text where it was none. @internal */
export function readApiError(response: Response, body: unknown, nowMs: number): ApiError {
	const error: ErrorObject = isErrorBody(body)
		? body.error
		: {
				type: "api_error",
				code: FOREIGN_ERROR,
				message: `The answer was HTTP ${response.status} without an explanation.`,
			};
	return new ApiError(response.status, error, {
		retryAfterSeconds: retryAfterOf(response.headers, nowMs) ?? error.action?.retry_after,
		requestId: response.headers.get("x-request-id") ?? undefined,
		help: /<([^<>]+)>; rel="help"/.exec(response.headers.get("link") ?? "")?.[1],
	});
}

function isErrorBody(body: unknown): body is ErrorBody {
	if (typeof body !== "object" || body === null || !("error" in body)) return false;
	const { error } = body;
	return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string";
}

/** Seconds, or the date form, which proxies in between may write. */
function retryAfterOf(headers: Headers, nowMs: number): number | undefined {
	const value = headers.get("retry-after");
	if (value === null) return undefined;
	if (/^\d+$/.test(value)) return Number(value);
	const atMs = Date.parse(value);
	return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
