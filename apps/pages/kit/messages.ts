/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };
import { type Around, pageTexts, type Shown } from "./text.ts";

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly skip: null;
	readonly "foot.with": {
		readonly service: Shown;
	};
	readonly "foot.account": null;
	readonly "foot.language": null;
	readonly "home.lead": null;
	readonly "home.user": {
		readonly strong: Around;
		readonly a: Around;
	};
	readonly "home.developer": {
		readonly strong: Around;
		readonly a: Around;
	};
	readonly again: null;
	readonly to_account: null;
	readonly to_start: null;
	readonly "missing.title": null;
	readonly "missing.text": null;
	readonly "not_found.title": null;
	readonly "not_found.text": null;
	readonly "too_often.title": null;
	readonly "too_often.text": {
		readonly wait: Shown;
	};
	readonly "away.title": null;
	readonly "away.text": null;
	readonly "broken.title": null;
	readonly "broken.text": null;
	readonly "conflict.title": null;
	readonly "method.title": null;
	readonly "method.text": {
		readonly methods: Shown;
	};
	readonly "form.elsewhere.title": null;
	readonly "form.elsewhere.text": null;
	readonly "form.large.title": null;
	readonly "form.large.text": null;
	readonly "form.unreadable.title": null;
	readonly "form.unreadable.text": null;
	readonly "form.outdated.title": null;
	readonly "form.outdated.text": null;
	readonly pictures: {
		readonly images: number;
		readonly bytes: Shown;
	};
	readonly device: {
		readonly browser: Shown;
		readonly system: Shown;
	};
	readonly "device.unknown": null;
	readonly "conflict.text": null;
	readonly "conflict.plan_ended": null;
	readonly "conflict.not_sold": null;
	readonly "conflict.withdrawal_over": null;
	readonly "conflict.nothing_to_withdraw": null;
	readonly "conflict.price_gone": null;
	readonly "conflict.has_plan": null;
	readonly "conflict.no_plan": null;
	readonly "conflict.sells_none": null;
	readonly "conflict.app_away": null;
	readonly "conflict.other_plan": null;
	readonly "conflict.plan_is_yours": null;
	readonly "conflict.plan_cancelled": null;
	readonly "conflict.plan_unpaid": null;
	readonly "conflict.plan_held": null;
	readonly "conflict.other_currency": null;
	readonly "conflict.choose_plan": null;
	readonly "conflict.owns_apps": {
		readonly apps: Shown;
	};
	readonly "conflict.last_operator": null;
	readonly "conflict.address_changed": null;
	readonly "conflict.link_used": null;
	readonly "processor.title": null;
	readonly "processor.text": null;
	readonly "home.team": {
		readonly strong: Around;
		readonly a: Around;
	};
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
