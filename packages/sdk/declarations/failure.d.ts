import type { ErrorAction, ErrorCode, ErrorObject, ErrorType } from "./shapes.js";
import type { Open } from "./types.js";
/** The service answered with an error. `code` says which; `requestId` finds the call in the service's log. */
export declare class ApiError extends Error {
    readonly name = "ApiError";
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
    constructor(status: number, error: ErrorObject, facts?: Partial<Pick<ApiError, "retryAfterSeconds" | "requestId" | "help">>);
}
declare const REASONS: {
    readonly network: "The service could not be reached";
    readonly timeout: "The service did not answer in time";
    readonly redirect: "The service answered with a redirect, which is not followed because it would carry the key elsewhere";
    readonly malformed: "The service answered with something that is not its own";
};
/** No usable answer arrived: whether the service acted on the request is not known. */
export declare class ConnectionError extends Error {
    readonly name = "ConnectionError";
    readonly reason: keyof typeof REASONS;
    constructor(reason: keyof typeof REASONS, detail: string, options?: ErrorOptions);
}
/** The code of an error answer without the service's envelope: a proxy in between spoke, not the service. @internal */
export declare const FOREIGN_ERROR = "foreign_error";
/** `body` is the parsed JSON, or the text where it was none. @internal */
export declare function readApiError(response: Response, body: unknown, nowMs: number): ApiError;
export {};
