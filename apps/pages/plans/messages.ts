/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { pageTexts, type Shown } from "../kit/text.ts";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly title: null;
	readonly lead: null;
	readonly signed_in: {
		readonly email: Shown;
	};
	readonly none: null;
	readonly earlier: null;
	readonly "of.app": {
		readonly plan: Shown;
		readonly app: Shown;
	};
	readonly "of.user": {
		readonly plan: Shown;
		readonly app: Shown;
	};
	readonly "of.personal": {
		readonly plan: Shown;
	};
	readonly "of.own": {
		readonly plan: Shown;
		readonly app: Shown;
	};
	readonly price: {
		readonly interval: string;
		readonly amount: Shown;
		readonly tax: string;
	};
	readonly "state.trial": {
		readonly day: Shown;
		readonly price: Shown;
	};
	readonly "state.active": {
		readonly price: Shown;
		readonly day: Shown;
	};
	readonly "state.next": {
		readonly amount: Shown;
		readonly day: Shown;
	};
	readonly "state.cancelled": {
		readonly day: Shown;
	};
	readonly "state.grace": {
		readonly day: Shown;
	};
	readonly "state.unpaid": null;
	readonly "state.ended": {
		readonly day: Shown;
	};
	readonly "state.withdrawn": null;
	readonly "state.unconfirmed": null;
	readonly "state.paused": {
		readonly app: Shown;
	};
	readonly "state.disputed": null;
	readonly credit: {
		readonly amount: Shown;
	};
	readonly "waiting.renewal": {
		readonly day: Shown;
		readonly plan: Shown;
		readonly price: Shown;
	};
	readonly "waiting.payment": {
		readonly plan: Shown;
		readonly amount: Shown;
	};
	readonly grants: null;
	readonly granted: {
		readonly plan: Shown;
		readonly app: Shown;
		readonly day: Shown;
	};
	readonly details: null;
	readonly "details.of": {
		readonly plan: Shown;
	};
	readonly back: null;
	readonly "back.account": null;
	readonly cancel: null;
	readonly "cancel.title": {
		readonly plan: Shown;
	};
	readonly "cancel.text": {
		readonly day: Shown;
	};
	readonly "cancel.unsold": {
		readonly day: Shown;
	};
	readonly "cancel.unpaid": null;
	readonly "cancel.button": null;
	readonly keep: null;
	readonly resume: null;
	readonly payment: null;
	readonly "payment.unpaid": null;
	readonly withdraw: null;
	readonly "withdraw.title": {
		readonly plan: Shown;
	};
	readonly "withdraw.text": {
		readonly amount: Shown;
		readonly day: Shown;
	};
	readonly "withdraw.trial": {
		readonly day: Shown;
	};
	readonly "withdraw.button": {
		readonly amount: Shown;
	};
	readonly "withdraw.free": null;
	readonly impossible: {
		readonly reason: Shown;
	};
	readonly away: null;
	readonly out: null;
	readonly "out.text": null;
	readonly sign_in: null;
	readonly invoices: null;
	readonly "invoices.none": null;
	readonly "invoice.title": {
		readonly number: Shown;
	};
	readonly "invoice.status": {
		readonly status: Shown;
	};
	readonly "invoice.refunded": {
		readonly amount: Shown;
	};
	readonly "invoice.from": null;
	readonly "invoice.to": null;
	readonly "invoice.date": null;
	readonly "invoice.for": null;
	readonly "invoice.period": null;
	readonly "invoice.range": {
		readonly from: Shown;
		readonly to: Shown;
	};
	readonly "invoice.state": null;
	readonly "invoice.line": null;
	readonly "invoice.quantity": null;
	readonly "invoice.amount": null;
	readonly "invoice.subtotal": null;
	readonly "invoice.tax": null;
	readonly "invoice.total": null;
	readonly "invoice.credit": null;
	readonly "invoice.due": null;
	readonly "invoice.paid": {
		readonly day: Shown;
	};
	readonly "invoice.back": {
		readonly day: Shown;
	};
	readonly "invoice.processor": null;
	readonly all: null;
	readonly "pay.now": {
		readonly now: Shown;
		readonly price: Shown;
		readonly day: Shown;
	};
	readonly "pay.free": {
		readonly price: Shown;
		readonly day: Shown;
	};
	readonly "pay.next": {
		readonly amount: Shown;
	};
	readonly "pay.credit": {
		readonly amount: Shown;
	};
	readonly "pay.button": {
		readonly amount: Shown;
	};
	readonly "pay.change": null;
	readonly "pay.ask": {
		readonly plan: Shown;
	};
	readonly "pay.moved": null;
	readonly "back.plan": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
