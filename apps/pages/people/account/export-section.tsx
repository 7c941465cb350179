import type { OwnConnection } from "@svc/connect/connected-user";
import { listConnections } from "@svc/connect/users";
import { type ExportResult, listExports, nextExportMs, openExport, startExport } from "@svc/exports/exports";
import type { Job } from "@svc/jobs/jobs";
import { Day, Moment, PostForm, pictures } from "../../kit/parts.tsx";
import type { PagesRooms } from "../../kit/rooms.ts";
import type { Message } from "../../kit/text.ts";
import { type PageResult, type Route, redirect } from "../../kit/visit.ts";
import { t } from "../messages.ts";
import { leaveNotice } from "../notices.ts";
import { type AccountCall, type AccountPost, look } from "./account-call.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* A copy of all that a person keeps here. */

/** Of the last week; more than one a day there are none. */
const SHOWN = 10;

export const exportSection: Section = {
	id: "export",
	title: t("export"),
	async show({ rooms, person: { account }, token, by }) {
		const [jobs, nextMs, connections] = await Promise.all([
			listExports(rooms.exports, account, { limit: SHOWN }),
			nextExportMs(rooms.exports, account),
			listConnections(rooms.connect, account),
		]);
		const isUnderWay = jobs.some(({ endedMs }) => endedMs === null);
		const isTooSoon = nextMs !== undefined && nextMs > by.nowMs;
		return (
			<SectionCard id="export" title={t("export")}>
				<p className="soft">{t("export.about")}</p>
				{jobs.length > 0 && (
					<ul className="rows">
						{jobs.map((job) => (
							<ExportRow key={job.id} job={job} />
						))}
					</ul>
				)}
				{isTooSoon && !isUnderWay && <p className="soft">{t("export.next", { moment: <Moment ms={nextMs} /> })}</p>}
				{!isTooSoon && !isUnderWay && <ExportForm connections={connections} token={token} />}
			</SectionCard>
		);
	},
};

function ExportRow({ job }: { readonly job: Job }) {
	const result = job.state === "done" ? (job.result as ExportResult) : undefined;
	return (
		<li>
			<div className="what">
				<h3>{t("export.of", { day: <Day ms={job.createdMs} /> })}</h3>
				<p>{stateOf(job, result)}</p>
			</div>
			{result && (
				<div className="acts">
					<a className="button quiet slim" href={`/account/export/${job.id}.zip`} download>
						{t("export.fetch")}
					</a>
				</div>
			)}
		</li>
	);
}

function stateOf({ state, done, total }: Job, result: ExportResult | undefined): Message {
	if (result) {
		const { images, bytes, expires_at: until } = result;
		return t("export.ready", { pictures: pictures(images, bytes), day: <Day ms={Date.parse(until)} /> });
	}
	if (state === "failed") return t("export.failed");
	return total === null ? t("export.queued") : t("export.running", { done, total });
}

interface FormProps {
	readonly connections: readonly OwnConnection[];
	readonly token: string;
}

function ExportForm({ connections, token }: FormProps) {
	const apps = connections.filter(({ state }) => state === "connected").map(({ app }) => app);
	return (
		<PostForm action="/account/export" token={token}>
			{apps.length > 1 && (
				<div className="field">
					<label htmlFor="export-app">{t("export.which")}</label>
					<select id="export-app" name="app">
						<option value="">{t("export.all")}</option>
						{apps.map(({ id, name }) => (
							<option key={id} value={id}>
								{name}
							</option>
						))}
					</select>
				</div>
			)}
			<div>
				<button className="quiet slim" type="submit">
					{t("export.start")}
				</button>
			</div>
		</PostForm>
	);
}

export async function askExport(call: AccountPost): Promise<PageResult> {
	const appId = call.form.get("app") || undefined;
	await startExport(call.rooms.exports, call.person, { appId }, call.by);
	await leaveNotice(call, { done: "export_started" });
	return redirect("/account/export");
}

/** The file itself, for the browser of whoever asked for it. */
export function exportFileRoute(rooms: PagesRooms): Route {
	return {
		path: "/account/export/:file",
		async get(visit) {
			const id = visit.params.file?.replace(/\.zip$/, "") ?? "";
			// A secret in a header counts at the API alone.
			if (visit.request.headers.has("authorization")) {
				return redirect(`${rooms.addresses.base}/v1/me/exports/${encodeURIComponent(id)}/file`);
			}
			// Who has to sign in first comes to the page that offers it.
			const url = new URL("/account/export", visit.url);
			return await look(rooms, { ...visit, url }, (call) => fetchExport(call, id));
		},
	};
}

async function fetchExport({ rooms, person }: AccountCall, id: string): Promise<Response> {
	const { body, headers } = await openExport(rooms.exports, person, id);
	return new Response(body, { headers });
}
