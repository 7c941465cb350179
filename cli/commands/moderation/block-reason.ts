import { UsageError } from "@svc/base/processes/exit";
import { BLOCK_REASONS } from "@svc/sdk/lists";
import type { BlockReason } from "@svc/sdk/shapes";
import { oneOf } from "../../kit/line/choice.ts";

/** The values of `--reason`. */
export const REASON_HINT = BLOCK_REASONS.join("|");

/** @throws UsageError */
export function readReason(asked: string | undefined): BlockReason | undefined {
	return asked === undefined ? undefined : oneOf("--reason", asked, BLOCK_REASONS);
}

/** @throws UsageError where there is none, too */
export function requireReason(asked: string | undefined): BlockReason {
	const reason = readReason(asked);
	if (reason === undefined) throw new UsageError("--reason is missing.", `Add --reason ${REASON_HINT}.`);
	return reason;
}
