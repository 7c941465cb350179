/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { pageTexts } from "@svc/pages/kit/text";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly about: null;
	readonly open: null;
	readonly report: null;
	readonly veil: null;
	readonly published: null;
	readonly until: null;
	readonly size: null;
	readonly pixels: {
		readonly width: number;
		readonly height: number;
	};
	readonly format: null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
