import type { App, Job } from "@svc/sdk/shapes";
import { Moment } from "../kit/parts.tsx";
import type { Text } from "../kit/text.ts";
import type { Page } from "../kit/visit.ts";
import { POLLED } from "./kit/asks-again.tsx";
import { asked, Narrow, StateChoice } from "./kit/choice.tsx";
import { screenPage } from "./kit/frame.tsx";
import { JOB_STATES, JobState, Progress, Result } from "./kit/job-words.tsx";
import { Lines } from "./kit/lines.tsx";
import { Pager } from "./kit/pager.tsx";
import type { ConsoleVisit, Screen } from "./kit/visit.ts";
import { t } from "./messages.ts";

/* What takes long in an App: imports, and changes of many images. */

export const jobsScreen: Screen = { path: "/:app/jobs", get: showJobs };

const KINDS: Readonly<Record<string, Text>> = { import: t("jobs.import"), image_job: t("jobs.image_job") };

async function showJobs(visit: ConsoleVisit): Promise<Page> {
	const { app: id = "" } = visit.params;
	const filter = asked(visit.url, "state", "cursor");
	const [app, { data, pagination }] = await Promise.all([
		visit.api.apps.get(id),
		visit.api.apps.of(id).jobs.list(filter as { readonly state?: Job["state"]; readonly cursor?: string }),
	]);
	const isRunning = data.some(({ ended_at }) => ended_at === null);
	const children = (
		<>
			{isRunning && POLLED}
			<Narrow here={`/console/${app.id}/jobs`}>
				<StateChoice states={JOB_STATES} value={filter.state} />
			</Narrow>
			{data.length > 0 ? <Table app={app} jobs={data} /> : <p className="empty soft">{t("jobs.none")}</p>}
			<Pager visit={visit} next={pagination.next_cursor} />
		</>
	);
	return screenPage(visit, { title: t("jobs"), app, screen: "jobs", children });
}

function Table({ app, jobs }: { readonly app: App; readonly jobs: readonly Job[] }) {
	const lines = jobs.map((job) => ({
		id: job.id,
		cells: [
			<a key="kind" href={`/console/${app.id}/jobs/${job.id}`}>
				{KINDS[job.kind] ?? job.kind}
			</a>,
			<JobState key="state" of={job} />,
			<Progress key="progress" of={job} />,
			<Result key="result" of={job} />,
			<Moment key="begun" ms={Date.parse(job.created_at)} />,
		],
	}));
	const columns = [t("jobs.kind"), t("state"), t("jobs.progress"), t("jobs.result"), t("jobs.begun")];
	return <Lines caption={t("jobs")} columns={columns} numbers={[2]} lines={lines} />;
}
