/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { pageTexts, type Shown } from "@svc/pages/kit/text";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly takes: {
		readonly uploads: number;
		readonly size: Shown;
	};
	readonly free: {
		readonly plan: Shown;
		readonly takes: Shown;
	};
	readonly sells_none: null;
	readonly change: null;
	readonly choose: null;
	readonly plan: null;
	readonly payment: null;
	readonly monthly: null;
	readonly annual: null;
	readonly switch: null;
	readonly pay: null;
	readonly yours: null;
	readonly or: {
		readonly monthly: Shown;
		readonly annual: Shown;
	};
	readonly "app.title": {
		readonly app: Shown;
	};
	readonly "app.lead": null;
	readonly "app.signed_in": {
		readonly email: Shown;
	};
	readonly "app.now": {
		readonly app: Shown;
		readonly plan: Shown;
	};
	readonly "app.manage": null;
	readonly "app.cost": {
		readonly plan: Shown;
	};
	readonly "app.keep": null;
	readonly "app.owner_only": null;
	readonly "app.owner_only.text": null;
	readonly "app.again": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
