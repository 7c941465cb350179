import { REPORT_STATES } from "@svc/sdk/lists";
import type { Report } from "@svc/sdk/shapes";
import { Moment } from "../../kit/parts.tsx";
import type { PageResult } from "../../kit/visit.ts";
import { ActForm } from "../kit/forms.tsx";
import type { ConsolePost, ConsoleVisit, Refused, Screen } from "../kit/visit.ts";
import { ReportWords } from "./card.tsx";
import { QUEUE } from "./deeds.tsx";
import { asked, at, Facets, Listed, OPERATOR, operatorPage, refusal, said, typed, wordOf } from "./operator.tsx";

/* What the public has reported, one by one. */

export const reportsScreen: Screen = { path: "/operator/reports", get: showReports, acts: { resolve } };

const HERE = `${OPERATOR}/reports`;

const COLUMNS = ["Picture", "What was said", "Outcome"];

async function showReports(visit: ConsoleVisit, refused?: Refused): Promise<PageResult> {
	const state = asked(visit, "state");
	const { data, pagination } = await visit.api.moderation.reports.list({
		cursor: asked(visit, "cursor"),
		...(state !== undefined && { state }),
	});
	const lines = data.map((report) => ({
		id: report.id,
		cells: [
			<a key="image" href={`${QUEUE}/${report.image_id}`}>
				{report.image_id}
			</a>,
			<div key="words" className="verdict">
				<ReportWords report={report} />
			</div>,
			report.resolved_at === null ? (
				<Resolve key="acts" visit={visit} report={report} />
			) : (
				<span key="outcome">
					{wordOf(report.outcome ?? "")}, <Moment ms={at(report.resolved_at)} />
				</span>
			),
		],
	}));
	return operatorPage(visit, {
		screen: "reports",
		children: (
			<>
				{refusal(refused)}
				<Facets label="Reports" here={HERE} name="state" values={REPORT_STATES} value={state} />
				<Listed
					{...{ visit, lines }}
					caption="Reports"
					none="No report."
					columns={COLUMNS}
					next={pagination.next_cursor}
				/>
			</>
		),
	});
}

/** How a report is settled, by the word on the button. */
const OUTCOMES = { dismissed: "Dismiss", actioned: "Settled by an action" } as const;

function Resolve({ visit, report }: { readonly visit: ConsoleVisit; readonly report: Report }) {
	return (
		<div className="acts">
			{(["dismissed", "actioned"] as const).map((outcome) => (
				<ActForm
					key={outcome}
					visit={visit}
					action={HERE + visit.url.search}
					act="resolve"
					fields={{ report: report.id, outcome }}
				>
					<button className="quiet slim" type="submit">
						{OUTCOMES[outcome]}
					</button>
				</ActForm>
			))}
		</div>
	);
}

async function resolve(post: ConsolePost): Promise<PageResult> {
	const outcome = typed(post, "outcome") as keyof typeof OUTCOMES;
	await post.api.moderation.reports.resolve(typed(post, "report") ?? "", outcome);
	return await said(post, "The report is settled.");
}
