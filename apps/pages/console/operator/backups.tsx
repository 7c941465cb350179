import { Moment } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { Outcome } from "./jobs.tsx";
import { asked, at, Listed, OPERATOR, once, operatorPage, said, wordOf } from "./operator.tsx";

/* Copies of the database and of every image. */

export const backupsScreen: Screen = { path: "/operator/backups", get: showBackups, acts: { create } };

const HERE = `${OPERATOR}/backups`;

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
				<ActForm visit={visit} action={HERE} act="create" refused={refused}>
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

async function create(post: ConsolePost): Promise<PageResult> {
	await post.api.operator.backups.create(once(post));
	return await said(post, "The backup is made in the background.");
}
