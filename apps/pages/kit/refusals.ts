import { Conflict } from "@svc/base/conflicts";
import { DatabaseError } from "@svc/base/database-error";
import { Failure } from "@svc/base/failure";
import { t } from "./messages.ts";
import { duration } from "./parts.tsx";
import type { Message } from "./text.ts";
import { PageRefusal } from "./visit.ts";

/** The page for an error that was not caught: it says nothing of the cause. */
export function asRefusal(cause: unknown): PageRefusal {
	if (cause instanceof PageRefusal) return cause;
	if (isAway(cause)) return away();
	if (cause instanceof Failure && isProcessorAway(cause)) return processorAway(cause);
	if (!(cause instanceof Failure)) return broken();
	if (cause.code === "rate_limited") return tooOften(cause);
	if (cause.code === "not_found") {
		return new PageRefusal(404, t("not_found.title"), t("not_found.text"), {
			again: { href: "/account", label: t("to_account") },
		});
	}
	return cause.code === "state_conflict" ? new PageRefusal(409, t("conflict.title"), conflictText(cause)) : broken();
}

/** Why a change is not possible now. */
export function conflictText(cause: Failure): Message {
	if (!(cause instanceof Conflict)) return t("conflict.text");
	return cause.reason === "owns_apps" ? t("conflict.owns_apps", { apps: cause.names }) : t(`conflict.${cause.reason}`);
}

function tooOften({ retryAfterSeconds = 60 }: Failure): PageRefusal {
	return new PageRefusal(429, t("too_often.title"), t("too_often.text", { wait: duration(retryAfterSeconds) }), {
		headers: { "Retry-After": String(retryAfterSeconds) },
	});
}

/** Nobody knows then whether what was sent has been saved. */
function isAway(cause: unknown): boolean {
	const fault = cause instanceof Failure ? cause.cause : cause;
	return fault instanceof DatabaseError && fault.passing;
}

function away(): PageRefusal {
	return new PageRefusal(503, t("away.title"), t("away.text"), { headers: { "Retry-After": "2" } });
}

/** The payment processor did not answer in time, or could not do what it was asked. */
export function isProcessorAway(cause: unknown): cause is Failure {
	return cause instanceof Failure && cause.code === "server_error" && cause.retryAfterSeconds !== undefined;
}

/** With `askAgain` the browser asks for the same page by itself, until it is known what became of a payment. */
export function processorAway({ retryAfterSeconds = 30 }: Failure, askAgain = false): PageRefusal {
	return new PageRefusal(503, t("processor.title"), t("processor.text"), {
		headers: { "Retry-After": String(retryAfterSeconds), ...(askAgain && { Refresh: String(ASK_AGAIN_SECONDS) }) },
	});
}

const ASK_AGAIN_SECONDS = 5;

function broken(): PageRefusal {
	return new PageRefusal(500, t("broken.title"), t("broken.text"));
}
