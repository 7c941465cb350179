import { appendFile, rm } from "node:fs/promises";
import { ApiError } from "@svc/sdk/failure";

/* What did not come in the last run and why, a line each. There is no such file where all came. */

/** A picture that did not come, or not with all that was said of it. */
export interface Missing {
	readonly line: number;
	readonly address: string;
	readonly external_id: string | null;
	/** `failed`, `no_picture`: it did not come; `in_part`: it came without what `left_out` names. */
	readonly state: "failed" | "no_picture" | "in_part";
	/** Undefined for what came in part. */
	readonly error?: unknown;
	readonly left_out?: readonly string[];
}

export interface MissingFile {
	add(missing: readonly Missing[]): Promise<void>;
}

/** Says what to do about a failure; undefined where nobody knows. */
type NextStep = (error: unknown) => string | undefined;

/** What an earlier run left there is removed. */
export async function openMissingFile(path: string, nextStep: NextStep): Promise<MissingFile> {
	await rm(path, { force: true });
	return {
		async add(missing) {
			if (missing.length > 0) await appendFile(path, missing.map((one) => `${lineOf(one, nextStep)}\n`).join(""));
		},
	};
}

function lineOf({ error, ...missing }: Missing, nextStep: NextStep): string {
	return JSON.stringify({ ...missing, ...(error !== undefined && reasonOf(error, nextStep)) });
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** What is wrong with which field says more than that something is. */
function faultsIn(details: Readonly<Record<string, string | readonly string[]>>): string {
	return Object.entries(details)
		.map(([field, faults]) => `${field} ${[faults].flat().join(", ")}`)
		.join("; ");
}

function reasonOf(error: unknown, nextStep: NextStep) {
	const answer = error instanceof ApiError ? error : undefined;
	const { details } = answer ?? {};
	return {
		code: answer?.code ?? null,
		why: details === undefined ? messageOf(error) : faultsIn(details),
		details,
		// What is wrong with a field says itself what to do about it.
		next: answer?.code === "validation_error" ? undefined : nextStep(error),
	};
}
