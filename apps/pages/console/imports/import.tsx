import type { ImportItem, Job } from "@svc/sdk/shapes";
import { Moment, numberText } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { ASKS_AGAIN, POLLED } from "../kit/asks-again.tsx";
import { asked, Narrow, StateChoice } from "../kit/choice.tsx";
import { Fact } from "../kit/facts.tsx";
import { ActForm } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { JobState, Progress } from "../kit/job-words.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import { type ConsolePost, type ConsoleVisit, canEdit, clientOf, type Refused, type Screen } from "../kit/visit.ts";
import { t } from "../messages.ts";
import { storageQuery } from "./imports.tsx";

/* One import: how far it is, and what became of each address. */

export const importScreen: Screen = { path: "/:app/imports/:import", get: showImport, acts: { cancel } };

const ITEM_STATES = {
	queued: t("imports.queued"),
	running: t("jobs.running"),
	created: t("imports.created"),
	failed: t("imports.failed"),
	cancelled: t("imports.cancelled"),
} as const satisfies Record<ImportItem["state"] & string, Text>;

/** The API says what is none of its words. */
type ItemState = keyof typeof ITEM_STATES;

async function showImport(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: appId = "", import: id = "" } = visit.params;
	const { storage, state, cursor } = asked(visit.url, "storage", "state", "cursor");
	const { imports } = clientOf(visit, appId, storage);
	const [app, job, { data, pagination }] = await Promise.all([
		visit.api.apps.get(appId),
		imports.get(id),
		imports.items(id).list({ cursor, ...(state !== undefined && { state: state as ItemState }) }),
	]);
	const here = `/console/${app.id}/imports/${id}`;
	const isOver = job.ended_at !== null;
	const children = (
		<>
			{!isOver && POLLED}
			<div className="card">
				<Facts of={job} />
				{canEdit(app) && !isOver && (
					<ActForm visit={visit} action={here + storageQuery(storage)} act="cancel" refused={refused}>
						<button className="quiet" type="submit">
							{t("cancel")}
						</button>
					</ActForm>
				)}
			</div>
			<Narrow here={here}>
				{storage && <input type="hidden" name="storage" value={storage} />}
				<StateChoice states={ITEM_STATES} value={state} />
			</Narrow>
			<Items items={data} images={`/console/${app.id}/images`} query={storageQuery(storage)} />
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	const heading = (
		<div className="heading">
			<a className="back" href={`/console/${app.id}/imports${storageQuery(storage)}`}>
				← {t("imports")}
			</a>
			<h1>{t("jobs.import")}</h1>
		</div>
	);
	const page = screenPage(visit, { title: t("jobs.import"), heading, app, screen: "imports", children });
	return isOver ? page : { ...page, head: ASKS_AGAIN };
}

function Facts({ of: job }: { readonly of: Job }) {
	const { created, failed } = job.result ?? {};
	return (
		<dl className="facts">
			<Fact name={t("state")}>
				<JobState of={job} />
			</Fact>
			<Fact name={t("jobs.progress")}>
				<Progress of={job} />
			</Fact>
			{created !== undefined && <Fact name={t("imports.created")}>{String(created)}</Fact>}
			{failed !== undefined && <Fact name={t("imports.failed")}>{String(failed)}</Fact>}
			<Fact name={t("jobs.begun")}>
				<Moment ms={Date.parse(job.created_at)} />
			</Fact>
			{job.ended_at !== null && (
				<Fact name={t("jobs.ended")}>
					<Moment ms={Date.parse(job.ended_at)} />
				</Fact>
			)}
			<Fact name={t("id")}>
				<code>{job.id}</code>
			</Fact>
		</dl>
	);
}

interface ItemsProps {
	readonly items: readonly ImportItem[];
	/** Where the images are. */
	readonly images: string;
	readonly query: string;
}

function Items({ items, images, query }: ItemsProps) {
	if (items.length === 0) return <p className="empty soft">{t("imports.items.none")}</p>;
	const lines = items.map(({ index, url, state, image_id, error }) => ({
		id: index.toString(),
		cells: [
			numberText(index + 1),
			<bdi key="url" className="changes">
				{url}
			</bdi>,
			image_id === null ? (
				<bdi key="why">{error?.message ?? ""}</bdi>
			) : (
				<a key="image" href={`${images}/${image_id}${query}`}>
					<code>{image_id}</code>
				</a>
			),
			<StateOf key="state" state={state} />,
		],
	}));
	const columns = [t("imports.number"), t("address"), t("jobs.result"), t("state")];
	return <Lines caption={t("imports.addresses")} columns={columns} lines={lines} />;
}

function StateOf({ state }: Pick<ImportItem, "state">) {
	const text = Object.hasOwn(ITEM_STATES, state) ? ITEM_STATES[state as keyof typeof ITEM_STATES] : state;
	return state === "failed" ? <span className="tag warns">{text}</span> : text;
}

async function cancel(post: ConsolePost): Promise<PageResult> {
	const { app = "", import: id = "" } = post.params;
	const { storage } = asked(post.url, "storage");
	await clientOf(post, app, storage).imports.cancel(id);
	await post.leave({ what: "cancelled" });
	return redirect(`/console/${app}/imports/${id}${storageQuery(storage)}`);
}
