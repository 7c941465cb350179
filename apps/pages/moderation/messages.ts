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
	readonly picture: null;
	readonly which: {
		readonly id: Shown;
	};
	readonly reason: null;
	readonly "reason.fault": null;
	readonly "reason.content_policy.label": null;
	readonly "reason.content_policy.hint": null;
	readonly "reason.dmca.label": null;
	readonly "reason.dmca.hint": null;
	readonly "reason.spam.label": null;
	readonly "reason.spam.hint": null;
	readonly "reason.terms.label": null;
	readonly "reason.terms.hint": null;
	readonly note: null;
	readonly "note.fault": {
		readonly most: number;
	};
	readonly email: null;
	readonly "email.hint": null;
	readonly "email.fault": null;
	readonly too_often: {
		readonly wait: Shown;
	};
	readonly send: null;
	readonly thanks: null;
	readonly "thanks.title": null;
	readonly "thanks.text": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
