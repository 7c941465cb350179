/* Written by `npm run generate` from the catalogues in messages/: see docs/languages.md. */
import { type Around, pageTexts, type Shown } from "../kit/text.ts";
import de from "./messages/de.json" with { type: "json" };
import en from "./messages/en.json" with { type: "json" };
import es from "./messages/es.json" with { type: "json" };
import fr from "./messages/fr.json" with { type: "json" };
import ja from "./messages/ja.json" with { type: "json" };

/** The messages, and what fills their placeholders. */
interface Messages {
	readonly email: null;
	readonly "email.hint": null;
	readonly "email.fault": null;
	readonly "email.send": null;
	readonly code: null;
	readonly "code.hint": {
		readonly email: Shown;
	};
	readonly "code.hint.slow": {
		readonly email: Shown;
	};
	readonly "code.shape": null;
	readonly "code.missing": null;
	readonly "code.wrong": {
		readonly tries: number;
	};
	readonly "code.last": null;
	readonly "code.too_often": {
		readonly wait: Shown;
	};
	readonly "code.new": null;
	readonly "code.sent": null;
	readonly "code.other_address": null;
	readonly "code.late": null;
	readonly "code.kept": {
		readonly command: Shown;
	};
	readonly "code.shown": {
		readonly a: Around;
	};
	readonly "link.offer": {
		readonly email: Shown;
	};
	readonly "link.send": null;
	readonly "link.again": null;
	readonly "link.sent": null;
	readonly "link.sent.text": {
		readonly email: Shown;
	};
	readonly "link.open": null;
	readonly "link.open.text": {
		readonly service: Shown;
	};
	readonly "link.caution": null;
	readonly "link.over": null;
	readonly "send.too_often": {
		readonly wait: Shown;
	};
	readonly "resend.early": {
		readonly wait: Shown;
	};
	readonly "resend.too_often": {
		readonly wait: Shown;
	};
	readonly over: null;
	readonly "over.text": null;
	readonly "over.closed": null;
	readonly unusable: null;
	readonly "unusable.text": null;
	readonly sign_in: null;
	readonly "sign_in.account": null;
	readonly "sign_in.account.text": {
		readonly service: Shown;
	};
	readonly "sign_in.plans": null;
	readonly "sign_in.plans.text": {
		readonly service: Shown;
	};
	readonly "sign_in.plans.app": {
		readonly app: Shown;
		readonly service: Shown;
	};
	readonly type_code: null;
	readonly "type_code.title": null;
	readonly account: null;
	readonly index: null;
	readonly security: null;
	readonly developer: null;
	readonly "developer.about": null;
	readonly "developer.docs": {
		readonly service: Shown;
		readonly a: Around;
	};
	readonly "activity.about": {
		readonly days: number;
	};
	readonly "export.short": null;
	readonly "delete.copy": {
		readonly a: Around;
	};
	readonly signed_in: {
		readonly email: Shown;
	};
	readonly sign_out: null;
	readonly "sign_out.one": {
		readonly device: Shown;
	};
	readonly "sign_out.others": null;
	readonly signed_out: null;
	readonly "signed_out.text": null;
	readonly delete: null;
	readonly "delete.about": null;
	readonly "delete.ask": null;
	readonly "delete.none": {
		readonly strong: Around;
	};
	readonly "delete.empty": {
		readonly apps: number;
		readonly strong: Around;
	};
	readonly "delete.kept": {
		readonly apps: number;
		readonly pictures: Shown;
		readonly strong: Around;
	};
	readonly "delete.own": {
		readonly pictures: Shown;
	};
	readonly "delete.confirm": null;
	readonly "delete.fault": null;
	readonly "delete.do": null;
	readonly "delete.keep": null;
	readonly "delete.reason": null;
	readonly deleted: null;
	readonly "deleted.text": null;
	readonly disconnect: {
		readonly app: Shown;
	};
	readonly "disconnect.ask": {
		readonly app: Shown;
	};
	readonly "disconnect.empty": null;
	readonly "disconnect.kept": {
		readonly pictures: Shown;
	};
	readonly "disconnect.about": {
		readonly app: Shown;
	};
	readonly "disconnect.do": {
		readonly images: number;
	};
	readonly "disconnect.back": {
		readonly plan: Shown;
		readonly amount: Shown;
	};
	readonly "disconnect.free": {
		readonly plan: Shown;
	};
	readonly "disconnect.stay": null;
	readonly apps: null;
	readonly "apps.none": null;
	readonly "apps.judged": {
		readonly service: Shown;
	};
	readonly "apps.since": {
		readonly day: Shown;
		readonly pictures: Shown;
	};
	readonly "apps.leaving": null;
	readonly "apps.keys": null;
	readonly "apps.keys.of": {
		readonly app: Shown;
	};
	readonly "apps.plan": null;
	readonly "apps.plan.of": {
		readonly app: Shown;
	};
	readonly "apps.disconnect": null;
	readonly own: null;
	readonly "own.empty": null;
	readonly "own.kept": {
		readonly pictures: Shown;
	};
	readonly "own.keys": null;
	readonly "own.plan": null;
	readonly teams: null;
	readonly "role.viewer": null;
	readonly "role.editor": null;
	readonly "role.admin": null;
	readonly "role.owner": null;
	readonly sessions: null;
	readonly "sessions.this": null;
	readonly "sessions.used": {
		readonly moment: Shown;
		readonly day: Shown;
	};
	readonly "sessions.keep_tokens": null;
	readonly tokens: null;
	readonly "tokens.none": null;
	readonly "tokens.about": null;
	readonly "tokens.in_app": {
		readonly scopes: Shown;
	};
	readonly "tokens.unused": {
		readonly day: Shown;
	};
	readonly "tokens.used": {
		readonly day: Shown;
		readonly moment: Shown;
	};
	readonly revoke: null;
	readonly "revoke.one": {
		readonly name: Shown;
	};
	readonly passkeys: null;
	readonly "passkeys.none": null;
	readonly "passkeys.about": null;
	readonly "passkeys.used": {
		readonly day: Shown;
		readonly moment: Shown;
	};
	readonly "passkeys.unused": {
		readonly day: Shown;
	};
	readonly "passkeys.name": null;
	readonly "passkeys.name.hint": null;
	readonly "passkeys.name.fault": {
		readonly most: number;
	};
	readonly "passkeys.add": null;
	readonly "passkeys.add.reason": null;
	readonly "passkeys.add.ready": null;
	readonly "passkeys.add.failed": null;
	readonly "passkeys.full": {
		readonly most: number;
	};
	readonly "passkeys.nameless": null;
	readonly "passkeys.without": null;
	readonly "passkeys.remove": null;
	readonly "passkeys.remove.one": {
		readonly name: Shown;
	};
	readonly "passkeys.remove.reason": null;
	readonly "passkey.sign_in": null;
	readonly "passkey.confirm": null;
	readonly "passkey.confirm.first": null;
	readonly "passkey.failed": null;
	readonly "passkey.wrong": null;
	readonly activity: null;
	readonly "activity.operator": null;
	readonly export: null;
	readonly "export.about": null;
	readonly "export.start": null;
	readonly "export.which": null;
	readonly "export.all": null;
	readonly "export.of": {
		readonly day: Shown;
	};
	readonly "export.queued": null;
	readonly "export.running": {
		readonly done: number;
		readonly total: number;
	};
	readonly "export.ready": {
		readonly pictures: Shown;
		readonly day: Shown;
	};
	readonly "export.failed": null;
	readonly "export.fetch": null;
	readonly "export.next": {
		readonly moment: Shown;
	};
	readonly "export.reason": null;
	readonly "event.account.created": null;
	readonly "event.account.email_changed": null;
	readonly "event.account.email_restored": null;
	readonly "event.account.disabled": null;
	readonly "event.account.enabled": null;
	readonly "event.account.secured": null;
	readonly "event.account.exported": null;
	readonly "event.operator.created": null;
	readonly "event.operator.removed": null;
	readonly "event.session.created": null;
	readonly "event.session.confirmed": null;
	readonly "event.session.revoked": null;
	readonly "event.session.others_ended": null;
	readonly "event.token.created": null;
	readonly "event.token.revoked": null;
	readonly "event.passkey.created": null;
	readonly "event.passkey.deleted": null;
	readonly "event.passkey.refused": null;
	readonly "event.user.connected": null;
	readonly "event.user.signed_in": null;
	readonly "event.user.disconnected": null;
	readonly confirm: null;
	readonly "confirm.text": {
		readonly about: Shown;
		readonly email: Shown;
	};
	readonly "confirm.ask": {
		readonly about: Shown;
		readonly email: Shown;
	};
	readonly "confirm.mail": null;
	readonly "confirm.nothing": null;
	readonly "confirm.do": null;
	readonly "done.disconnected": null;
	readonly "done.key_revoked": null;
	readonly "done.own_key_revoked": null;
	readonly "done.session_ended": null;
	readonly "done.token_revoked": null;
	readonly "done.passkey_added": null;
	readonly "done.passkey_removed": null;
	readonly "done.export_started": null;
	readonly "done.export_ready": null;
	readonly "done.address_changed": {
		readonly email: Shown;
	};
	readonly "done.nowhere": null;
	readonly "done.sessions": {
		readonly sessions: number;
	};
	readonly "done.tokens": {
		readonly tokens: number;
	};
	readonly "done.both": {
		readonly sessions: number;
		readonly tokens: number;
	};
	readonly address: null;
	readonly "address.about": {
		readonly email: Shown;
	};
	readonly "address.new": null;
	readonly "address.new.hint": null;
	readonly "address.change": null;
	readonly "address.fault": null;
	readonly "address.taken": null;
	readonly "address.confirm": null;
	readonly "address.do": null;
	readonly undo: null;
	readonly "undo.text": {
		readonly moment: Shown;
		readonly old: Shown;
		readonly new: Shown;
	};
	readonly "undo.effect": {
		readonly old: Shown;
	};
	readonly "undo.do": null;
	readonly undone: null;
	readonly "undone.text": null;
	readonly "address.reason": {
		readonly email: Shown;
	};
	readonly language: null;
	readonly "language.about": null;
	readonly "language.browser": null;
	readonly "language.choose": null;
	readonly not_me: null;
	readonly "not_me.when": {
		readonly strong: Around;
		readonly deed: Shown;
		readonly moment: Shown;
	};
	readonly "not_me.all": null;
	readonly "not_me.do": null;
	readonly "not_me.was_me": null;
	readonly "not_me.done": null;
	readonly "not_me.done.text": null;
	readonly "deed.device": null;
	readonly "deed.token": null;
	readonly "deed.key": null;
	readonly "deed.app_connected": null;
	readonly "deed.operator": null;
	readonly "deed.transfer": null;
	readonly "deed.address": null;
	readonly "deed.passkey_added": null;
	readonly "deed.passkey_removed": null;
	readonly "deed.passkey_counter": null;
	readonly "deed.many": null;
	readonly "back.device": null;
	readonly "back.token": null;
	readonly "back.key": null;
	readonly "back.app_connected": null;
	readonly "back.operator": null;
	readonly "back.transfer": null;
	readonly "back.address": null;
	readonly "back.passkey_added": null;
	readonly "back.passkey_removed": null;
	readonly "back.passkey_counter": null;
	readonly "back.many": null;
	readonly "console.start": null;
	readonly "console.start.text": {
		readonly email: Shown;
	};
	readonly "console.start.open": null;
	readonly "console.start.over": null;
	readonly "console.start.sign_in": null;
}

export const t = pageTexts<Messages>({ de, en, es, fr, ja });
