import { ApiError } from "@svc/sdk/failure";
import type { Job } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import { usePlain } from "../../kit/text.ts";
import { type Page, type PageResult, redirect } from "../../kit/visit.ts";
import { POLLED } from "../kit/asks-again.tsx";
import { asked, Narrow } from "../kit/choice.tsx";
import { ActForm, mapOf, requirePairs, TextArea } from "../kit/forms.tsx";
import { screenPage } from "../kit/frame.tsx";
import { JobState, Progress } from "../kit/job-words.tsx";
import { Lines } from "../kit/lines.tsx";
import { Pager } from "../kit/pager.tsx";
import {
	type ConsolePost,
	type ConsoleVisit,
	canEdit,
	clientOf,
	isRefusal,
	type Refused,
	type Screen,
} from "../kit/visit.ts";
import { t } from "../messages.ts";

/* Images made of many addresses: what runs, what came of it, and a form that begins one. */

export const importsScreen: Screen = { path: "/:app/imports", get: showImports, acts: { create } };

async function showImports(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const { app: id = "" } = visit.params;
	const { storage, cursor } = asked(visit.url, "storage", "cursor");
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		clientOf(visit, id, storage).imports.list({ cursor }),
	]);
	const isRunning = data.some(({ ended_at }) => ended_at === null);
	const query = storageQuery(storage);
	const children = (
		<>
			{isRunning && POLLED}
			{canEdit(app) && (
				<NewImport
					visit={visit}
					here={`/console/${app.id}/imports${query}`}
					refused={refused}
					open={data.length === 0 && cursor === undefined}
				/>
			)}
			<Narrow here={`/console/${app.id}/imports`} typed>
				<Storage value={storage} />
			</Narrow>
			{data.length > 0 ? (
				<Table here={`/console/${app.id}/imports`} query={query} imports={data} />
			) : (
				<p className="empty soft">{t("imports.none")}</p>
			)}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("imports"), app, screen: "imports", children });
}

function Storage({ value }: { readonly value: string | undefined }) {
	const say = usePlain();
	return (
		<input
			type="search"
			name="storage"
			data-keys="/"
			defaultValue={value}
			aria-label={say(t("storage"))}
			placeholder={say(t("filter.storage"))}
		/>
	);
}

/** Of the App storage there is nothing to say. */
export function storageQuery(storage: string | undefined): string {
	return storage === undefined ? "" : `?${new URLSearchParams({ storage })}`;
}

interface NewImportProps {
	readonly visit: ConsoleVisit;
	readonly here: string;
	readonly refused: Refused | undefined;
	readonly open: boolean;
}

function NewImport({ visit, here, refused, open }: NewImportProps) {
	const common = { act: "create", refused };
	return (
		<details className="ask narrow" open={open || refused?.act === "create"}>
			<summary className="button primary">{t("imports.new")}</summary>
			<div className="card">
				<ActForm visit={visit} action={here} act="create" refused={refused}>
					<TextArea {...common} name="url" label={t("imports.addresses")} hint={t("imports.addresses.hint")} />
					<TextArea {...common} name="labels" label={t("labels")} hint={t("imports.labels.hint")} />
					<button className="primary" type="submit">
						{t("imports.create")}
					</button>
				</ActForm>
			</div>
		</details>
	);
}

interface TableProps {
	readonly here: string;
	readonly query: string;
	readonly imports: readonly Job[];
}

function Table({ here, query, imports }: TableProps) {
	const lines = imports.map((job) => ({
		id: job.id,
		cells: [
			<a key="when" href={`${here}/${job.id}${query}`}>
				<Moment ms={Date.parse(job.created_at)} />
			</a>,
			<JobState key="state" of={job} />,
			<Progress key="progress" of={job} />,
			String(job.result?.created ?? ""),
			String(job.result?.failed ?? ""),
		],
	}));
	const columns = [t("jobs.begun"), t("state"), t("jobs.progress"), t("imports.created"), t("imports.failed")];
	return <Lines caption={t("imports")} columns={columns} numbers={[2, 3, 4]} lines={lines} />;
}

async function create(post: ConsolePost): Promise<PageResult> {
	const { app = "" } = post.params;
	const { storage } = asked(post.url, "storage");
	const labels = post.form.get("labels") ?? "";
	requirePairs("labels", labels);
	const { idempotencyKey } = post;
	const { id } = await clientOf(post, app, storage)
		.imports.create(addressesOf(post), {
			...(labels.trim() !== "" && { fields: { labels: mapOf(labels) } }),
			...(idempotencyKey && { idempotencyKey }),
		})
		.catch((cause: unknown) => {
			throw besideFields(cause);
		});
	return redirect(`/console/${app}/imports/${id}${storageQuery(storage)}`);
}

function addressesOf({ form }: ConsolePost): readonly string[] {
	return (form.get("url") ?? "").split(/\s+/).filter(Boolean);
}

/** A thousand faults would be a page of them. */
const FAULTS_SHOWN = 5;

/** What the API says of `items[3].url` stands beside the field of addresses, with the number of the address. */
function besideFields(cause: unknown): unknown {
	if (!isRefusal(cause, "validation_error") || !cause.details) return cause;
	const faults = Object.entries(cause.details).flatMap(([name, messages]) =>
		messages.map((said) => [name, said] as const),
	);
	const details: Record<string, string[]> = {};
	for (const [name, said] of faults) {
		const [, place] = /^items\[(\d+)\]/.exec(name) ?? [];
		const field = name.startsWith("items") ? "url" : name.replace(/^fields\.(\w+).*$/, "$1");
		details[field] = [...(details[field] ?? []), place === undefined ? said : `${Number(place) + 1}: ${said}.`];
	}
	if (details.url) details.url = details.url.slice(0, FAULTS_SHOWN);
	const { status, type, code, message } = cause;
	return new ApiError(status, { type, code, message, details } as ConstructorParameters<typeof ApiError>[1]);
}
