/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { pageTexts, type Shown } from "../kit/text.ts";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly "card.pays": null;
	readonly "card.declines": null;
	readonly "card.needs_bank": null;
	readonly "checkout.subscribe": null;
	readonly "checkout.method": null;
	readonly "checkout.simulated": null;
	readonly "checkout.for": {
		readonly app: Shown;
		readonly account: Shown;
	};
	readonly "checkout.for.own": {
		readonly account: Shown;
	};
	readonly "checkout.declined": null;
	readonly "checkout.back.subscribe": null;
	readonly "checkout.back.method": null;
	readonly "checkout.next": null;
	readonly "checkout.plan": {
		readonly plan: Shown;
		readonly seller: Shown;
	};
	readonly "checkout.trial": {
		readonly days: number;
		readonly price: Shown;
		readonly day: Shown;
	};
	readonly "checkout.terms": {
		readonly price: Shown;
	};
	readonly "checkout.tax": {
		readonly kind: string;
		readonly subtotal: Shown;
		readonly tax: Shown;
		readonly total: Shown;
	};
	readonly price: {
		readonly amount: Shown;
		readonly interval: string;
		readonly tax: string;
	};
	readonly "checkout.with": null;
	readonly "checkout.use": null;
	readonly "checkout.try": null;
	readonly "checkout.pay": {
		readonly amount: Shown;
	};
	readonly bank: null;
	readonly "bank.confirm": null;
	readonly "bank.refuse": null;
	readonly "return.thanks": null;
	readonly "return.paid": {
		readonly app: Shown;
	};
	readonly "return.nothing": null;
	readonly "return.unpaid": {
		readonly app: Shown;
	};
	readonly "return.method": null;
	readonly "done.switched": null;
	readonly "done.switching": null;
	readonly "done.cancelled": null;
	readonly "done.resumed": null;
	readonly "done.withdrawn": null;
	readonly card: {
		readonly app: Shown;
	};
	readonly "card.own": null;
	readonly "card.back": {
		readonly app: Shown;
	};
	readonly "card.back.account": null;
	readonly "card.unconfirmed": null;
	readonly "standing.ended": null;
	readonly "standing.grace": {
		readonly until: Shown;
	};
	readonly "standing.cancelled": {
		readonly until: Shown;
	};
	readonly "standing.trial": {
		readonly until: Shown;
		readonly price: Shown;
	};
	readonly "standing.trial.unpriced": {
		readonly until: Shown;
	};
	readonly "standing.price": {
		readonly price: Shown;
	};
	readonly "standing.paid": {
		readonly until: Shown;
	};
	readonly "standing.renews": {
		readonly until: Shown;
	};
	readonly pending: {
		readonly plan: Shown;
	};
	readonly "pending.price": {
		readonly plan: Shown;
		readonly price: Shown;
	};
	readonly "pay.other": null;
	readonly "pay.method": null;
	readonly resume: null;
	readonly "cancel.now": null;
	readonly "cancel.end": null;
	readonly withdraw: null;
	readonly "withdraw.about": null;
	readonly "withdraw.trial": null;
	readonly "withdraw.trial.about": null;
	readonly "withdraw.now": null;
	readonly ended: null;
	readonly none: null;
	readonly sells_none: null;
	readonly change: null;
	readonly choose: null;
	readonly nothing_yet: null;
	readonly interval: null;
	readonly "interval.month": null;
	readonly "interval.year": null;
	readonly "obstacle.cancelled": null;
	readonly "obstacle.unpaid": null;
	readonly "obstacle.held": null;
	readonly "terms.trial": null;
	readonly "terms.extended": null;
	readonly "terms.paid": null;
	readonly "offer.chosen": null;
	readonly "offer.images": {
		readonly count: number;
	};
	readonly "offer.bytes": {
		readonly size: Shown;
	};
	readonly "offer.trial": {
		readonly days: number;
	};
	readonly "offer.no_trial": null;
	readonly "offer.label": {
		readonly verb: Shown;
		readonly plan: Shown;
		readonly price: Shown;
	};
	readonly "offer.try": {
		readonly days: number;
	};
	readonly "offer.from": {
		readonly day: Shown;
	};
	readonly "offer.yours": null;
	readonly "offer.keep": null;
	readonly "offer.currency": {
		readonly currency: Shown;
	};
	readonly "offer.switch": null;
	readonly "offer.switch.about": null;
	readonly unconnected: {
		readonly app: Shown;
	};
	readonly "unconnected.text": null;
	readonly "unconnected.account": null;
	readonly no_storage: null;
	readonly "no_storage.text": null;
	readonly "no_storage.key": null;
	readonly away: null;
	readonly "fault.app_unavailable": null;
	readonly "checkout.closed": null;
	readonly "checkout.closed.text": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
