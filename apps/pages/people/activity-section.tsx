import { listActivity } from "@svc/apps/activity";
import { Moment } from "../kit/parts.tsx";
import { type Section, SectionCard } from "./sections.tsx";

/* What happened to the account lately. */

const DAY_MS = 86_400_000;
const SHOWN_DAYS = 90;
const NEWEST = 8;
const ALL = 200;

const EVENTS: Readonly<Record<string, string>> = {
	"account.created": "The account was made",
	"account.email_changed": "The address was changed",
	"account.email_restored": "An earlier address was given back",
	"account.disabled": "The account was disabled",
	"account.enabled": "The account was enabled again",
	"account.secured": "“This was not me” was chosen in a letter",
	"operator.created": "You became an operator of this service",
	"operator.removed": "You are no operator of this service any more",
	"session.created": "Signed in",
	"session.confirmed": "Confirmed with a code",
	"session.revoked": "A device was signed out",
	"session.others_ended": "Signed out everywhere else",
	"token.created": "A token was made",
	"token.revoked": "A token was revoked",
	"user.connected": "An App was connected",
	"user.disconnected": "An App was disconnected",
};

export const activitySection: Section = {
	id: "activity",
	title: "Activity",
	async show({ rooms, person, by }, alone) {
		const since = by.nowMs - SHOWN_DAYS * DAY_MS;
		const span = { limit: alone ? ALL : NEWEST, beforePk: undefined };
		const entries = await listActivity(rooms.apps, person.account, since, span);
		return (
			<SectionCard id="activity" title="Activity">
				<ul className="rows">
					{entries.map(({ id, event, actor, atMs }) => (
						<li key={id}>
							<div className="what">
								<h3>{EVENTS[event] ?? event}</h3>
								<p>
									<Moment ms={atMs} />
									{actor === "operator" && " · by an operator"}
								</p>
							</div>
						</li>
					))}
				</ul>
				{!alone && entries.length === NEWEST && (
					<p>
						<a href="/account/activity">All of the last {SHOWN_DAYS} days</a>
					</p>
				)}
			</SectionCard>
		);
	},
};
