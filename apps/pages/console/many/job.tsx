import type { Job } from "@svc/sdk/shapes";
import { Notice } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type PageResult, redirect } from "../../kit/visit.ts";
import { filterOf, queryOf } from "../images/filter.ts";
import { numberOf } from "../images/picture-facts.tsx";
import { ASKS_AGAIN } from "../kit/asks-again.tsx";
import { ActForm } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { Result as ResultText } from "../kit/job-words.tsx";
import {
	type ConsolePost,
	type ConsoleVisit,
	canEdit,
	clientOf,
	isRefusal,
	noneOf,
	type Refused,
	type Screen,
} from "../kit/visit.ts";
import { t } from "../messages.ts";

/* How far a change of many pictures is, and what came of it. */

export const jobScreen: Screen = { path: "/:app/jobs/:job", get: showJob, acts: { cancel } };

interface Result {
	/** Images that were left as they are, by the reason. */
	readonly skipped: Readonly<Record<string, number>>;
}

async function showJob(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const { app: appId = "", job: id = "" } = visit.params;
	const [app, job] = await Promise.all([visit.api.apps.get(appId), readJob(visit)]);
	const isImport = job.kind === "import";
	// The page of an import says more, as far as it is one of the App storage: nothing says whose storage another is of.
	const found = isImport && (await clientOf(visit, appId).imports.get(id).catch(noneOf("not_found")));
	if (found) return redirect(`/console/${appId}/imports/${id}`);
	const isOver = job.ended_at !== null;
	const { search } = visit.url;
	const children = (
		<div className="card narrow" data-live={isOver ? undefined : "poll"}>
			{isOver ? <Ended job={job} /> : <Running job={job} />}
			{canEdit(app) &&
				!isImport &&
				(isOver ? (
					<Undo visit={visit} />
				) : (
					<ActForm visit={visit} act="cancel" action={`/console/${appId}/jobs/${id}${search}`} refused={refused}>
						<button className="quiet" type="submit">
							{t("cancel")}
						</button>
					</ActForm>
				))}
			<p>
				<a href={`/console/${appId}/images${queryOf(filterOf(visit.url))}`}>{t("chosen.back")}</a>
			</p>
		</div>
	);
	const page = screenPage(visit, {
		title: isOver ? t("job.ended") : t("job.running"),
		app,
		screen: "jobs",
		children,
	});
	return isOver ? page : { ...page, head: ASKS_AGAIN };
}

/** So many of an App's newest jobs are shown to who did not start them. */
const JOBS_SHOWN = 100;

/** A job of one's own, or one of the App's that somebody else has started. @throws ApiError */
async function readJob({ api, params: { app = "", job: id = "" } }: ConsoleVisit): Promise<Job> {
	try {
		return await api.jobs.get(id);
	} catch (cause) {
		if (!isRefusal(cause, "not_found")) throw cause;
		const { data } = await api.apps.of(app).jobs.list({ limit: JOBS_SHOWN });
		const found = data.find((one) => one.id === id);
		if (!found) throw cause;
		return found;
	}
}

function Running({ job: { done, total } }: { readonly job: Job }) {
	return (
		<>
			<progress max={total ?? undefined} value={total === null ? undefined : done} aria-labelledby="done" />
			<p id="done" role="status">
				{numberOf(done)} / {total === null ? "…" : numberOf(total)}
			</p>
		</>
	);
}

function Ended({ job }: { readonly job: Job }) {
	const { state, failure, result } = job;
	if (state === "failed") return <Notice>{failure ?? t("state.failed")}</Notice>;
	const { skipped = {} } = result as unknown as Partial<Result>;
	return (
		<>
			<p role="status">
				<ResultText of={job} />
			</p>
			{Object.keys(skipped).length > 0 && (
				<>
					<p>{t("job.skipped")}</p>
					<dl className="facts">
						{Object.entries(skipped).map(([reason, images]) => (
							<div key={reason}>
								<dt>{reasonText(reason)}</dt>
								<dd>{numberOf(images)}</dd>
							</div>
						))}
					</dl>
				</>
			)}
		</>
	);
}

/** A release after this one may have more of them. */
function reasonText(reason: string): Text {
	return Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS] : reason;
}

const REASONS = {
	gone: t("skip.gone"),
	locked: t("skip.locked"),
	blocked: t("skip.blocked"),
	failed: t("skip.failed"),
	processing: t("skip.processing"),
	unchanged: t("skip.unchanged"),
	invalid: t("skip.invalid"),
	conflict: t("skip.conflict"),
	quota: t("skip.quota"),
	forbidden: t("skip.forbidden"),
	cancelled: t("skip.cancelled"),
} as const;

/** The address of a job that deletes says what it began with. Pictures that were chosen one by one come back at once; a filter may find others that were deleted before, so they are shown first. */
function Undo({ visit }: { readonly visit: ConsoleVisit }) {
	const { params, url } = visit;
	if (!url.searchParams.has(UNDO)) return null;
	const query = new URLSearchParams(url.search);
	query.delete(UNDO);
	query.set("state", "deleted");
	const chosen = `/console/${params.app}/images/chosen?${query}`;
	return (
		<>
			<p className="soft">{t("job.undo.about")}</p>
			{query.has("ids") ? (
				<ActForm visit={visit} act="restore" action={chosen}>
					<button className="quiet" type="submit">
						{t("job.undo")}
					</button>
				</ActForm>
			) : (
				<p>
					<a className="button quiet" href={chosen}>
						{t("job.undo")}
					</a>
				</p>
			)}
		</>
	);
}

/** In the address of a job which can be undone. */
export const UNDO = "undo";

async function cancel(post: ConsolePost): Promise<PageResult> {
	const { app = "", job = "" } = post.params;
	await post.api.apps.of(app).imageJobs.cancel(job);
	return redirect(`/console/${app}/jobs/${job}${post.url.search}`);
}
