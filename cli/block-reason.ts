import type { BlockReason } from "@svc/sdk/management-types";
import { oneOf } from "./choice.ts";
import { UsageError } from "./exit.ts";

const REASONS = ["content_policy", "dmca", "spam", "terms"] as const satisfies readonly BlockReason[];

/** What `--reason` takes. */
export const REASON_HINT = REASONS.join("|");

/** @throws UsageError */
export function readReason(asked: string | undefined): BlockReason | undefined {
	return asked === undefined ? undefined : oneOf("--reason", asked, REASONS);
}

/** @throws UsageError where there is none, too */
export function requireReason(asked: string | undefined): BlockReason {
	if (asked === undefined) throw new UsageError("--reason is missing.", `Add --reason ${REASON_HINT}.`);
	return oneOf("--reason", asked, REASONS);
}
