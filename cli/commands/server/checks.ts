import { ApiError } from "@svc/sdk/failure";
import { nextStep } from "../../kit/refusal.ts";
import { reasonOf } from "../../kit/report.ts";

/** A check, and the remedy where it fails. */
export interface Check {
	readonly object: "check";
	readonly name: string;
	readonly state: "ok" | "failed" | "skipped";
	readonly detail: string;
	readonly remedy: string | null;
}

export function passed(name: string, detail: string): Check {
	return { object: "check", name, state: "ok", detail, remedy: null };
}

export function failed(name: string, detail: string, remedy: string): Check {
	return { object: "check", name, state: "failed", detail, remedy };
}

export function skipped(name: string, detail: string): Check {
	return { object: "check", name, state: "skipped", detail, remedy: null };
}

/** Says of an error what the service, or the connection, said. */
export function failedWith(name: string, error: unknown, remedy?: string): Check {
	const id = error instanceof ApiError && error.requestId !== undefined ? `, request ${error.requestId}` : "";
	const detail = error instanceof ApiError ? `${error.message} (${error.code}${id})` : reasonOf(error);
	return failed(name, detail, remedy ?? nextStep(error) ?? "Look into the service's log.");
}
