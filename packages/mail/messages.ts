/* Written by `bun run generate` from the catalogues in messages/: see docs/languages.md. */
import { plainTexts } from "@svc/base/messages";
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
}

export const texts = plainTexts<Messages>({ de, en, es, fr, ja });
