import type { Job } from "@svc/sdk/shapes";
import { numberText } from "../../kit/parts.tsx";
import { t } from "../messages.ts";

/* How a job does, in words. */

export const JOB_STATES = {
	queued: t("jobs.queued"),
	running: t("jobs.running"),
	done: t("jobs.done"),
	failed: t("jobs.failed"),
} as const;

export function JobState({ of: { state } }: { readonly of: Pick<Job, "state"> }) {
	const text = Object.hasOwn(JOB_STATES, state) ? JOB_STATES[state as keyof typeof JOB_STATES] : state;
	return state === "failed" ? <span className="tag warns">{text}</span> : text;
}

/** How much is done, of how much where that is known. */
export function Progress({ of: { done, total } }: { readonly of: Pick<Job, "done" | "total"> }) {
	return (
		<>
			{numberText(done)}
			{total !== null && <> / {numberText(total)}</>}
		</>
	);
}

/** What came of it, in a line: its own page says all of it. */
export function Result({ of: { failure, result } }: { readonly of: Job }) {
	if (failure !== null) return <bdi>{failure}</bdi>;
	const { changed, created, failed } = (result ?? {}) as Readonly<Record<string, number | undefined>>;
	if (changed !== undefined) return t("job.changed", { images: changed });
	if (created === undefined) return "–";
	return t("imports.said", { created, failed: numberText(failed ?? 0) });
}
