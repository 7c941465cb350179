import type { App, AppBilling } from "@svc/sdk/shapes";
import { Notice } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import type { Page } from "../../kit/visit.ts";
import { screenPage } from "../kit/frame.tsx";
import type { ConsoleVisit, Refused } from "../kit/visit.ts";
import { t } from "../messages.ts";

export function planPath({ id }: Pick<App, "id">): string {
	return `/console/${id}/plan`;
}

export interface FormProps {
	readonly visit: ConsoleVisit;
	readonly app: App;
	readonly billing: AppBilling;
	readonly here: string;
	readonly refused: Refused | undefined;
}

/** What a plan does not limit is the largest number that there is. */
export function isUnlimited(limit: number): boolean {
	return limit >= Number.MAX_SAFE_INTEGER;
}

export function limitText(limit: number | null): Text {
	return limit === null || isUnlimited(limit) ? t("plan.any") : t("plan.at_most", { n: limit });
}

/** A form of ours may lead to no other site: browsers refuse that. A page leads there, at once where the browser does so. */
export async function leadOn(visit: ConsoleVisit, url: string, words: Text): Promise<Page> {
	const app = await visit.api.apps.get(visit.params.app ?? "");
	const children = (
		<div className="card narrow">
			<Notice answers>{t("plan.lead_on")}</Notice>
			<p>
				<a className="button primary" href={url}>
					{words}
				</a>
			</p>
		</div>
	);
	const page = screenPage(visit, { title: t("plan"), app, screen: "plan", children });
	return { ...page, head: <meta httpEquiv="refresh" content={`0; url=${url}`} /> };
}
