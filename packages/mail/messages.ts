/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { plainTexts } from "@svc/base/words/messages";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly "code.validity": {
		readonly minutes: number;
		readonly service: string;
	};
	readonly "sign_in_code.subject": {
		readonly code: string;
		readonly service: string;
	};
	readonly "sign_in_code.heading": null;
	readonly "sign_in_code.text": {
		readonly service: string;
	};
	readonly "sign_in_code.note": null;
	readonly "connect_code.subject": {
		readonly code: string;
		readonly app: string;
	};
	readonly "connect_code.heading": {
		readonly app: string;
	};
	readonly "connect_code.text": {
		readonly service: string;
		readonly app: string;
	};
	readonly "connect_code.note": {
		readonly app: string;
	};
	readonly "sign_in_link.subject": {
		readonly service: string;
	};
	readonly "sign_in_link.heading": null;
	readonly "sign_in_link.text": {
		readonly service: string;
	};
	readonly "sign_in_link.open": null;
	readonly "sign_in_link.validity": {
		readonly minutes: number;
	};
	readonly "sign_in_link.note": null;
	readonly "connect_link.subject": {
		readonly app: string;
	};
	readonly "connect_link.text": {
		readonly service: string;
		readonly app: string;
	};
	readonly "connect_link.note": {
		readonly app: string;
	};
	readonly "step_up_code.subject": {
		readonly code: string;
		readonly service: string;
	};
	readonly "step_up_code.heading": null;
	readonly "step_up_code.text": {
		readonly service: string;
	};
	readonly "step_up_code.note": {
		readonly service: string;
	};
	readonly "email_change_code.subject": {
		readonly code: string;
		readonly service: string;
	};
	readonly "email_change_code.heading": null;
	readonly "email_change_code.text": {
		readonly service: string;
	};
	readonly "email_change_code.note": null;
	readonly "email_changed.subject": {
		readonly service: string;
	};
	readonly "email_changed.heading": null;
	readonly "email_changed.text": {
		readonly service: string;
		readonly email: string;
	};
	readonly "email_changed.undo": {
		readonly days: number;
	};
	readonly "email_changed.link": null;
	readonly "not_renewed.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "not_renewed.heading": {
		readonly plan: string;
	};
	readonly "not_renewed.text": {
		readonly goods: string;
		readonly plan: string;
		readonly app: string;
		readonly service: string;
		readonly day: string;
	};
	readonly "not_renewed.back": null;
	readonly "not_renewed.link": null;
	readonly "not_renewed.why": {
		readonly service: string;
	};
	readonly "address_given_up.subject": {
		readonly service: string;
	};
	readonly "address_given_up.heading": null;
	readonly "address_given_up.text": {
		readonly service: string;
		readonly email: string;
		readonly until: string;
	};
	readonly "letter.device": {
		readonly service: string;
	};
	readonly "letter.token": {
		readonly name: string;
		readonly service: string;
	};
	readonly "letter.key": {
		readonly name: string;
		readonly app: string;
	};
	readonly "letter.key_by": {
		readonly who: string;
		readonly name: string;
		readonly app: string;
	};
	readonly "letter.app_connected": {
		readonly app: string;
		readonly service: string;
	};
	readonly "letter.operator": {
		readonly who: string;
		readonly service: string;
	};
	readonly "letter.transfer": {
		readonly app: string;
		readonly who: string;
	};
	readonly "letter.address": {
		readonly service: string;
	};
	readonly "letter.address_detail": {
		readonly name: string;
		readonly who: string;
	};
	readonly "letter.passkey_added": {
		readonly service: string;
	};
	readonly "letter.passkey_removed": {
		readonly service: string;
	};
	readonly "letter.passkey_counter": {
		readonly service: string;
	};
	readonly "letter.many": {
		readonly service: string;
	};
	readonly "letter.many_detail": null;
	readonly "letter.when": {
		readonly at: string;
	};
	readonly "letter.from": {
		readonly device: string;
		readonly network: string;
	};
	readonly "letter.not_you": {
		readonly days: number;
	};
	readonly "letter.link": null;
	readonly "letter.why": {
		readonly service: string;
	};
	readonly "invite.subject": {
		readonly app: string;
	};
	readonly "invite.heading": {
		readonly app: string;
	};
	readonly "invite.text": {
		readonly by: string;
		readonly app: string;
		readonly service: string;
		readonly role: string;
		readonly word: string;
	};
	readonly "invite.open": null;
	readonly "invite.once": null;
	readonly "invite.within": {
		readonly days: number;
	};
	readonly "invite.note": null;
	readonly "export_ready.subject": {
		readonly service: string;
	};
	readonly "export_ready.heading": null;
	readonly "export_ready.text": {
		readonly service: string;
		readonly images: number;
		readonly bytes: string;
	};
	readonly "export_ready.until": {
		readonly until: number;
	};
	readonly "export_ready.link": null;
	readonly "export_ready.note": {
		readonly service: string;
	};
	readonly "role_changed.subject": {
		readonly app: string;
	};
	readonly "role_changed.heading": {
		readonly app: string;
	};
	readonly "role_changed.text": {
		readonly by: string;
		readonly app: string;
		readonly service: string;
		readonly role: string;
		readonly word: string;
	};
	readonly "removed_from_team.subject": {
		readonly app: string;
	};
	readonly "removed_from_team.heading": {
		readonly app: string;
	};
	readonly "removed_from_team.text": {
		readonly by: string;
		readonly app: string;
		readonly service: string;
	};
	readonly "removed_from_team.note": {
		readonly app: string;
		readonly service: string;
	};
	readonly "team.link": null;
	readonly "team.note": {
		readonly app: string;
		readonly service: string;
	};
	readonly object: {
		readonly service: string;
	};
	readonly "image_blocked.subject": {
		readonly count: number;
		readonly app: string;
	};
	readonly "image_blocked.heading": {
		readonly count: number;
		readonly app: string;
	};
	readonly "image_blocked.text": {
		readonly count: number;
		readonly service: string;
		readonly image: string;
		readonly app: string;
		readonly reason: string;
	};
	readonly "image_blocked.effect": {
		readonly count: number;
	};
	readonly image_reason: {
		readonly reason: string;
		readonly word: string;
	};
	readonly "report_settled.subject": {
		readonly count: number;
		readonly service: string;
	};
	readonly "report_settled.heading": {
		readonly count: number;
	};
	readonly "report_settled.text": {
		readonly count: number;
		readonly image: string;
		readonly service: string;
	};
	readonly "report_settled.outcome": {
		readonly outcome: string;
		readonly count: number;
		readonly word: string;
	};
	readonly "report_settled.note": {
		readonly service: string;
	};
	readonly "webhook_failing.subject": {
		readonly app: string;
	};
	readonly "webhook_failing.heading": {
		readonly app: string;
	};
	readonly "webhook_failing.text": {
		readonly service: string;
		readonly app: string;
		readonly url: string;
	};
	readonly "webhook_failing.effect": null;
	readonly "webhook_disabled.subject": {
		readonly app: string;
	};
	readonly "webhook_disabled.heading": {
		readonly app: string;
	};
	readonly "webhook_disabled.text": {
		readonly service: string;
		readonly app: string;
		readonly url: string;
	};
	readonly "webhook_disabled.effect": null;
	readonly "app_unblocked.subject": {
		readonly app: string;
	};
	readonly "app_unblocked.heading": {
		readonly app: string;
	};
	readonly "app_unblocked.text": {
		readonly service: string;
		readonly app: string;
	};
	readonly "app_unblocked.effect": null;
	readonly "app_blocked.subject": {
		readonly app: string;
	};
	readonly "app_blocked.heading": {
		readonly app: string;
	};
	readonly "app_blocked.text": {
		readonly service: string;
		readonly app: string;
		readonly reason: string;
	};
	readonly "app_blocked.effect": null;
	readonly reason: {
		readonly reason: string;
		readonly word: string;
	};
	readonly part: {
		readonly part: string;
		readonly word: string;
	};
	readonly "image_host_lost.subject": {
		readonly app: string;
		readonly host: string;
	};
	readonly "image_host_lost.heading": {
		readonly host: string;
	};
	readonly "image_host_lost.text": {
		readonly service: string;
		readonly host: string;
		readonly app: string;
	};
	readonly "image_host_lost.effect": {
		readonly service: string;
		readonly host: string;
	};
	readonly "image_host_lost.link": null;
	readonly "delivery_unusual.subject": {
		readonly app: string;
	};
	readonly "delivery_unusual.heading": {
		readonly app: string;
	};
	readonly "delivery_unusual.text": {
		readonly service: string;
		readonly bytes: string;
		readonly app: string;
		readonly renditions: number;
	};
	readonly "delivery_unusual.usual": {
		readonly bytes: string;
		readonly renditions: number;
	};
	readonly "delivery_unusual.effect": null;
	readonly "delivery_unusual.link": null;
	readonly "part_failing.subject": {
		readonly service: string;
		readonly part: string;
	};
	readonly "part_failing.heading": {
		readonly part: string;
	};
	readonly "part_failing.text": {
		readonly service: string;
		readonly since: number;
		readonly part: string;
	};
	readonly "part_failing.more": null;
	readonly "part_healed.subject": {
		readonly service: string;
		readonly part: string;
	};
	readonly "part_healed.heading": {
		readonly part: string;
	};
	readonly "part_healed.text": {
		readonly service: string;
		readonly since: number;
		readonly until: number;
		readonly part: string;
	};
	readonly "operator.note": {
		readonly service: string;
	};
	readonly "subscription_started.subject": {
		readonly seller: string;
		readonly plan: string;
		readonly app: string;
	};
	readonly "subscription_started.heading": {
		readonly plan: string;
	};
	readonly "subscription_started.text": {
		readonly what: string;
	};
	readonly "trial_started.subject": {
		readonly plan: string;
		readonly app: string;
	};
	readonly "trial_started.heading": {
		readonly plan: string;
	};
	readonly "trial_started.text": {
		readonly what: string;
		readonly day: string;
	};
	readonly "trial_ending.subject": {
		readonly plan: string;
		readonly app: string;
	};
	readonly "trial_ending.heading": null;
	readonly "trial_ending.text": {
		readonly what: string;
		readonly day: string;
	};
	readonly "trial_ending.cancel": null;
	readonly "withdrawn.subject": {
		readonly plan: string;
		readonly app: string;
	};
	readonly "withdrawn.heading": null;
	readonly "withdrawn.text": {
		readonly what: string;
	};
	readonly "withdrawn.partly": {
		readonly what: string;
	};
	readonly "further_refund.subject": {
		readonly app: string;
	};
	readonly "further_refund.heading": null;
	readonly "further_refund.text": {
		readonly what: string;
	};
	readonly "further_refund.gone": {
		readonly what: string;
	};
	readonly "billing.what": {
		readonly seller: string;
		readonly plan: string;
		readonly service: string;
		readonly app: string;
	};
	readonly "payment_disputed.subject": {
		readonly state: string;
		readonly plan: string;
		readonly app: string;
	};
	readonly "payment_disputed.heading": {
		readonly state: string;
	};
	readonly "payment_disputed.text": {
		readonly state: string;
		readonly plan: string;
		readonly app: string;
		readonly amount: string;
	};
	readonly "payment_disputed.due": {
		readonly day: string;
	};
	readonly "payment_disputed.why": {
		readonly service: string;
	};
	readonly "billing.price": {
		readonly interval: string;
		readonly amount: string;
		readonly tax: string;
	};
	readonly "billing.link": null;
	readonly "billing.receipt": null;
	readonly "billing.why": {
		readonly what: string;
		readonly service: string;
	};
	readonly "billing.withdraw": {
		readonly day: string;
	};
	readonly "billing.arrives": null;
	readonly "billing.invoices": {
		readonly numbers: string;
	};
	readonly "billing.tax": {
		readonly amount: string;
	};
	readonly "subscription_started.price": {
		readonly price: string;
		readonly day: string;
	};
	readonly "trial_started.price": {
		readonly price: string;
	};
	readonly "trial_ending.price": {
		readonly amount: string;
	};
	readonly "billing.refund": {
		readonly amount: string;
	};
	readonly "billing.held": {
		readonly amount: string;
	};
	readonly "paid_twice.subject": {
		readonly app: string;
	};
	readonly "paid_twice.heading": null;
	readonly "paid_twice.text": {
		readonly what: string;
	};
	readonly "plan_paused.subject": {
		readonly app: string;
	};
	readonly "plan_paused.heading": {
		readonly plan: string;
	};
	readonly "plan_paused.text": {
		readonly app: string;
		readonly what: string;
	};
	readonly "plan_resumed.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "plan_resumed.heading": {
		readonly app: string;
	};
	readonly "plan_resumed.text": {
		readonly app: string;
		readonly what: string;
	};
	readonly "plan_resumed.next": {
		readonly amount: string;
		readonly day: string;
	};
	readonly "plan_gone.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "plan_gone.heading": {
		readonly plan: string;
	};
	readonly "plan_gone.text": {
		readonly app: string;
		readonly what: string;
		readonly day: string;
	};
	readonly "plan_granted.subject": {
		readonly plan: string;
		readonly app: string;
	};
	readonly "plan_granted.heading": {
		readonly plan: string;
	};
	readonly "plan_granted.text": {
		readonly deed: string;
		readonly what: string;
		readonly day: string;
	};
	readonly "plan_granted.why": {
		readonly what: string;
		readonly service: string;
	};
	readonly "plan_by_operator.subject": {
		readonly plan: string;
		readonly app: string;
	};
	readonly "plan_by_operator.heading": {
		readonly plan: string;
	};
	readonly "plan_by_operator.text": {
		readonly deed: string;
		readonly service: string;
		readonly plan: string;
		readonly app: string;
	};
	readonly "plan_by_operator.until": {
		readonly day: string;
	};
	readonly "plan_by_operator.reason": {
		readonly reason: string;
	};
	readonly "paid_unavailable.subject": {
		readonly app: string;
	};
	readonly "paid_unavailable.heading": null;
	readonly "paid_unavailable.text": {
		readonly what: string;
		readonly app: string;
	};
	readonly "app_plan.link": null;
	readonly "app_plan.why": {
		readonly app: string;
		readonly service: string;
	};
	readonly "app_plan.kept": null;
	readonly "app_plan_started.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_started.heading": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_started.text": {
		readonly app: string;
		readonly plan: string;
		readonly service: string;
	};
	readonly "app_plan_failing.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_failing.heading": null;
	readonly "app_plan_failing.text": {
		readonly amount: string;
		readonly plan: string;
		readonly app: string;
	};
	readonly "app_plan_failing.next": {
		readonly day: string;
	};
	readonly "app_plan_failing.locks": {
		readonly day: string;
	};
	readonly "app_plan_failing.pay": null;
	readonly "app_plan_locked.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_locked.heading": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_locked.text": {
		readonly amount: string;
		readonly plan: string;
		readonly app: string;
		readonly day: string;
	};
	readonly "app_plan_ended.subject": {
		readonly app: string;
		readonly plan: string;
	};
	readonly "app_plan_ended.heading": {
		readonly plan: string;
	};
	readonly "app_plan_ended.text": {
		readonly plan: string;
		readonly app: string;
		readonly day: string;
	};
	readonly "app_limit.subject": {
		readonly app: string;
		readonly percent: string;
	};
	readonly "app_limit.heading": {
		readonly percent: string;
		readonly app: string;
	};
	readonly "app_limit.text": {
		readonly limit: string;
		readonly used: string;
		readonly most: string;
		readonly app: string;
	};
	readonly "app_limit.soon": {
		readonly limit: string;
	};
	readonly "app_limit.full": {
		readonly limit: string;
	};
	readonly "app_limit.link": null;
}

export const texts = plainTexts<Messages>({ de, en, es, fr, ja });
