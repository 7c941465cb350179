/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { type Around, pageTexts, type Shown } from "../kit/text.ts";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly useless: null;
	readonly "useless.text": null;
	readonly join: {
		readonly app: Shown;
	};
	readonly "invited.viewer": {
		readonly email: Shown;
		readonly strong: Around;
	};
	readonly "invited.editor": {
		readonly email: Shown;
		readonly strong: Around;
	};
	readonly "invited.admin": {
		readonly email: Shown;
		readonly strong: Around;
	};
	readonly accept: null;
	readonly later: null;
	readonly until: {
		readonly day: Shown;
	};
	readonly other: {
		readonly email: Shown;
	};
	readonly "app.by": {
		readonly developer: Shown;
	};
	readonly "app.privacy": null;
	readonly "app.terms": null;
	readonly "app.support": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
