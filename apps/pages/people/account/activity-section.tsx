import { listActivity } from "@svc/apps/activity/activity";
import { Moment } from "../../kit/parts.tsx";
import type { Text } from "../../kit/text.ts";
import { t } from "../messages.ts";
import { type Section, SectionCard } from "./sections.tsx";

/* What happened to the account lately. */

const DAY_MS = 86_400_000;
export const SHOWN_DAYS = 90;
const SHOWN = 200;

/** What is shown in words; anything else by its name. */
const EVENTS = [
	"account.created",
	"account.email_changed",
	"account.email_restored",
	"account.disabled",
	"account.enabled",
	"account.secured",
	"account.exported",
	"operator.created",
	"operator.removed",
	"session.created",
	"session.confirmed",
	"session.revoked",
	"session.others_ended",
	"token.created",
	"token.revoked",
	"passkey.created",
	"passkey.deleted",
	"passkey.refused",
	"user.connected",
	"user.signed_in",
	"user.disconnected",
] as const;

function wordsOf(event: string): Text {
	const known = EVENTS.find((one) => one === event);
	return known ? t(`event.${known}`) : event;
}

export const activitySection: Section = {
	id: "activity",
	title: t("activity"),
	async show({ rooms, person, by }) {
		const since = by.nowMs - SHOWN_DAYS * DAY_MS;
		const entries = await listActivity(rooms.apps, person.account, since, { limit: SHOWN, beforePk: undefined });
		return (
			<SectionCard id="activity" title={t("activity")}>
				<ul className="rows">
					{entries.map(({ id, event, actor, atMs }) => (
						<li key={id}>
							<div className="what">
								<h3>{wordsOf(event)}</h3>
								<p>
									<Moment ms={atMs} />
									{actor === "operator" && <> · {t("activity.operator")}</>}
								</p>
							</div>
						</li>
					))}
				</ul>
			</SectionCard>
		);
	},
};
