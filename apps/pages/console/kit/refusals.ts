import { ApiError } from "@svc/sdk/failure";
import { missing } from "../../kit/layout.tsx";
import { t as kit } from "../../kit/messages.ts";
import { duration } from "../../kit/parts.tsx";
import { PageRefusal } from "../../kit/visit.ts";
import { t } from "../messages.ts";

/** The page for what the API refused where no form can say it. What is no refusal of the API stays what it is. */
export function refusalOf(cause: unknown): unknown {
	if (!(cause instanceof ApiError)) return cause;
	const { status, retryAfterSeconds } = cause;
	if (status === 404) return missing();
	if (status === 429) {
		const seconds = retryAfterSeconds ?? 60;
		return new PageRefusal(429, kit("too_often.title"), kit("too_often.text", { wait: duration(seconds) }), {
			headers: { "Retry-After": String(seconds) },
		});
	}
	// The payment processor does not answer, say: what was sent may be done by itself yet.
	if (status === 503) {
		const headers = { "Retry-After": String(retryAfterSeconds ?? 30) };
		return new PageRefusal(503, kit("away.title"), kit("away.text"), { headers });
	}
	if (status >= 500) return cause;
	return new PageRefusal(status, t("refused"), cause.message, { again: { href: "/console", label: t("apps") } });
}

/** As the API refuses a field. */
export function refusal(field: string, words: string): ApiError {
	const error = { type: "invalid_request_error", code: "validation_error", message: words } as const;
	return new ApiError(422, { ...error, details: { [field]: [words] } });
}

/** Whether a deed needs that its sender confirms who they are first. */
export function isStale(cause: unknown): boolean {
	return cause instanceof ApiError && cause.code === "forbidden" && cause.details?.session !== undefined;
}
