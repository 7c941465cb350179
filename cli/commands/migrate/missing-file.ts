import { appendFile, rm } from "node:fs/promises";
import { ApiError } from "@svc/sdk/failure";
import { nextStep } from "../../kit/exit.ts";

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

/** What an earlier run left there is removed. */
export async function openMissingFile(path: string): Promise<MissingFile> {
	await rm(path, { force: true });
	return {
		async add(missing) {
			if (missing.length > 0) await appendFile(path, missing.map((one) => `${lineOf(one)}\n`).join(""));
		},
	};
}

function lineOf({ error, ...missing }: Missing): string {
	return JSON.stringify({ ...missing, ...(error !== undefined && reasonOf(error)) });
}

function reasonOf(error: unknown) {
	const answer = error instanceof ApiError ? error : undefined;
	return {
		code: answer?.code ?? null,
		why: error instanceof Error ? error.message : String(error),
		details: answer?.details,
		next: nextStep(error),
	};
}
