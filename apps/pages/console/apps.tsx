import type { App } from "@svc/sdk/shapes";
import { Notice } from "../kit/parts.tsx";
import { type Page, type PageResult, redirect } from "../kit/visit.ts";
import { ActForm, TextField } from "./kit/forms.tsx";
import { screenPage } from "./kit/frame.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "./kit/visit.ts";
import { t } from "./messages.ts";

/* One's Apps. */

export const appsScreen: Screen = { path: "", get: showApps, acts: { create } };

const PAGE_SIZE = 100;

async function showApps(visit: ConsoleVisit, refused?: Refused): Promise<Page> {
	const cursor = visit.url.searchParams.get("cursor") ?? undefined;
	// Older interfaces tell of no App how much it holds.
	const include = visit.includes.length > 0 ? { include: "usage" as const } : {};
	const { data, pagination } = await visit.api.apps.list({ limit: PAGE_SIZE, cursor, ...include });
	const children = (
		<>
			{visit.readsMails && (
				<Notice>{t("mails.here", { a: (words) => <a href="/console/operator/mails">{words}</a> })}</Notice>
			)}
			{data.length > 0 && (
				<ul className="rows card">
					{data.map((app) => (
						<Row key={app.id} app={app} />
					))}
				</ul>
			)}
			{pagination.next_cursor && (
				<nav className="pager">
					<a rel="next" href={`/console?${new URLSearchParams({ cursor: pagination.next_cursor })}`}>
						{t("next")}
					</a>
				</nav>
			)}
			<div className="card narrow">
				<h2>{data.length === 0 ? t("apps.first") : t("apps.new")}</h2>
				<p className="soft">{t("apps.about")}</p>
				<ActForm visit={visit} action="/console" act="create" refused={refused}>
					<TextField
						act="create"
						name="name"
						label={t("name")}
						refused={refused}
						input={{ required: true, maxLength: 100 }}
					/>
					<button className="primary" type="submit">
						{t("apps.create")}
					</button>
				</ActForm>
			</div>
		</>
	);
	return screenPage(visit, { title: t("apps"), children });
}

function Row({ app }: { readonly app: App }) {
	return (
		<li>
			<div className="what">
				<a className="door" href={`/console/${app.id}`}>
					<bdi>{app.name}</bdi>
				</a>
				<p>
					{t(`role.${app.role}` as "role.owner")} · {app.plan}
					{app.usage && <> · {t("images.count", { images: app.usage.images })}</>}
				</p>
			</div>
			{app.state !== "active" && <span className="tag">{t(`app.${app.state}` as "app.paused")}</span>}
		</li>
	);
}

async function create(post: ConsolePost): Promise<PageResult> {
	const { idempotencyKey } = post;
	const app = await post.api.apps.create(post.form.get("name") ?? "", idempotencyKey ? { idempotencyKey } : {});
	return redirect(`/console/${app.id}/images`);
}
