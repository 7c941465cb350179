import { JOB_KINDS, JOB_STATES } from "@svc/sdk/lists";
import type { Job } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { asked, at, Facets, Listed, OPERATOR, once, operatorPage, refusal, said, typed, wordOf } from "./operator.tsx";

/* What runs in the background, and what failed there. */

export const operatorJobsScreen: Screen = { path: "/operator/jobs", get: showJobs, acts: { retry } };

const HERE = `${OPERATOR}/jobs`;

async function showJobs(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const [state, kind] = [asked(visit, "state"), asked(visit, "kind")];
	const { data, pagination } = await visit.api.operator.jobs.list({
		cursor: asked(visit, "cursor"),
		...(state !== undefined && { state: state as "queued" }),
		...(kind !== undefined && { kind: kind as (typeof JOB_KINDS)[number] }),
	});
	const lines = data.map((job) => ({ id: job.id, cells: cellsOf(visit, job) }));
	const columns = ["Kind", "State", "Progress", "What came of it", "Began", "Id", "What can be done"];
	return operatorPage(visit, {
		screen: "jobs",
		children: (
			<>
				{refusal(refused)}
				<Facets label="States" here={HERE} name="state" values={["all", ...JOB_STATES]} value={state} />
				<search>
					<form className="search narrow" method="get" action={HERE}>
						{state !== undefined && <input type="hidden" name="state" value={state} />}
						<select name="kind" defaultValue={kind ?? ""} aria-label="Kind">
							<option value="">Any kind</option>
							{JOB_KINDS.map((one) => (
								<option key={one}>{one}</option>
							))}
						</select>
						<button className="quiet" type="submit">
							Search
						</button>
					</form>
				</search>
				<Listed {...{ visit, columns, lines }} caption="Jobs" none="No job." next={pagination.next_cursor} />
			</>
		),
	});
}

function cellsOf(visit: ConsoleVisit, job: Job) {
	const { id, kind, state, done, total, created_at } = job;
	return [
		kind,
		wordOf(state),
		total === null ? String(done) : `${done} of ${total}`,
		<Outcome key="outcome" job={job} />,
		<Moment key="at" ms={at(created_at)} />,
		<code key="id">{id}</code>,
		state === "failed" ? (
			<ActForm key="acts" visit={visit} action={HERE + visit.url.search} act="retry" fields={{ job: id }}>
				<button className="quiet slim" type="submit">
					Retry
				</button>
			</ActForm>
		) : (
			""
		),
	];
}

/** Why it failed, or what it says of its end. */
function Outcome({ job: { failure, result } }: { readonly job: Job }) {
	if (failure !== null) return <span className="changes">{failure}</span>;
	const said = Object.entries(result ?? {}).map(([name, value]) => `${name}: ${textOf(value)}`);
	return <span className="fine changes">{said.join(" · ")}</span>;
}

/** Of whatever a line of a log, the audit or a job says. */
export function textOf(value: unknown): string {
	return typeof value === "string" ? value : JSON.stringify(value);
}

async function retry(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.jobs.retry(typed(post, "job") ?? "", once(post));
	return await said(post, "It is tried again.");
}

/* Copies of the database and of every image: the jobs that make them. */

export const backupsScreen: Screen = { path: "/operator/backups", get: showBackups, acts: { create: backUp } };

async function showBackups(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const { data, pagination } = await visit.api.operator.jobs.list({
		kind: "backup.make",
		cursor: asked(visit, "cursor"),
	});
	const lines = data.map((job) => ({
		id: job.id,
		cells: [
			<Moment key="at" ms={at(job.created_at)} />,
			wordOf(job.state),
			job.total === null ? String(job.done) : `${job.done} of ${job.total}`,
			<Outcome key="outcome" job={job} />,
		],
	}));
	const columns = ["Began", "State", "Progress", "What came of it"];
	const isRunning = data.some(({ ended_at }) => ended_at === null);
	return operatorPage(visit, {
		screen: "backups",
		children: (
			<div className="stack" data-live={isRunning ? "poll" : undefined}>
				<ActForm visit={visit} action={`${OPERATOR}/backups`} act="create" refused={refused}>
					<p className="soft">Copies the database and every image, beside what the service does by itself.</p>
					<button className="primary" type="submit">
						Make a backup
					</button>
				</ActForm>
				<Listed
					{...{ visit, columns, lines }}
					caption="Backups"
					none="None was asked for yet."
					next={pagination.next_cursor}
				/>
			</div>
		),
	});
}

async function backUp(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.backups.create(once(post));
	return await said(post, "The backup is made in the background.");
}
