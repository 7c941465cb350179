/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { type Around, pageTexts, type Shown } from "../kit/text.ts";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly title: {
		readonly app: Shown;
	};
	readonly gives: {
		readonly app: Shown;
		readonly service: Shown;
	};
	readonly "gives.email": {
		readonly strong: Around;
	};
	readonly "gives.storage": {
		readonly strong: Around;
	};
	readonly "gives.judged": {
		readonly strong: Around;
		readonly service: Shown;
	};
	readonly consent: {
		readonly strong: Around;
		readonly host: Shown;
		readonly a: Around;
	};
	readonly signed_in: {
		readonly email: Shown;
	};
	readonly "signed_in.why": {
		readonly app: Shown;
	};
	readonly "signed_in.other": null;
	readonly continue: {
		readonly email: Shown;
	};
	readonly "continue.text": {
		readonly app: Shown;
	};
	readonly "continue.fine": {
		readonly host: Shown;
		readonly a: Around;
	};
	readonly code: null;
	readonly "code.title": {
		readonly app: Shown;
	};
	readonly "code.text": {
		readonly app: Shown;
	};
	readonly "code.caution": {
		readonly app: Shown;
		readonly host: Shown;
	};
	readonly "link.text": {
		readonly app: Shown;
	};
	readonly connect: null;
	readonly cancel: null;
	readonly "fault.title": null;
	readonly "fault.then": {
		readonly fault: Shown;
	};
	readonly "fault.repeated": {
		readonly name: Shown;
	};
	readonly "fault.malformed": {
		readonly name: Shown;
	};
	readonly "fault.missing_app": null;
	readonly "fault.unknown_app": null;
	readonly "fault.missing_redirect_uri": null;
	readonly "fault.redirect_uri_not_registered": null;
	readonly "fault.state_too_long": null;
	readonly "fault.sign_in_disabled": null;
	readonly "about.repeated": {
		readonly code: Around;
		readonly name: Shown;
	};
	readonly "about.malformed": {
		readonly code: Around;
		readonly name: Shown;
	};
	readonly "about.missing": {
		readonly code: Around;
		readonly name: Shown;
	};
	readonly "about.unknown_app": {
		readonly code: Around;
		readonly value: Shown;
	};
	readonly "about.redirect_uri_not_registered": {
		readonly code: Around;
		readonly command: Shown;
	};
	readonly "about.state_too_long": {
		readonly code: Around;
		readonly count: number;
	};
	readonly "about.sign_in_disabled": {
		readonly code: Around;
	};
	readonly "about.app_unavailable": {
		readonly code: Around;
		readonly value: Shown;
	};
	readonly "keys.title": {
		readonly app: Shown;
	};
	readonly "keys.title.own": null;
	readonly "keys.back": null;
	readonly "keys.about": null;
	readonly "keys.about.own": null;
	readonly keys: null;
	readonly "keys.none": null;
	readonly "keys.make": null;
	readonly "keys.make.read_only": null;
	readonly "keys.name": null;
	readonly "keys.name.hint": null;
	readonly "keys.name.fault": {
		readonly most: number;
	};
	readonly "keys.full": null;
	readonly "keys.may": null;
	readonly "keys.may.read": null;
	readonly "keys.may.write": null;
	readonly "keys.made": {
		readonly name: Shown;
	};
	readonly "keys.made.once": {
		readonly strong: Around;
	};
	readonly "keys.reads": null;
	readonly "keys.writes": null;
	readonly "keys.created": {
		readonly day: Shown;
	};
	readonly "keys.used": {
		readonly day: Shown;
	};
	readonly "keys.unused": null;
	readonly "keys.revoke": null;
	readonly "keys.revoke.one": {
		readonly name: Shown;
	};
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
