/* Written by `bun run generate` from the catalogues in messages/: see docs/languages.md. */
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
	readonly price: {
		readonly amount: Shown;
		readonly interval: string;
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
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
