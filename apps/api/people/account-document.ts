import { listActivity } from "@svc/apps/activity/activity";
import { mapped } from "@svc/base/streams/streams";
import { listConnections } from "@svc/connect/users";
import type { Account } from "@svc/people/people";
import { encodeAudit } from "../apps/audit.ts";
import { encodeToken } from "../apps/tokens.ts";
import { encodeInvoice } from "../billing/invoice-document.ts";
import { encodeOwnPlan } from "../billing/own-plans.ts";
import { encodeConnection } from "../connect/own-connections.ts";
import { isoDate } from "../kit/dates.ts";
import type { ApiRooms } from "../kit/rooms.ts";
import { encodeAccount } from "./account.ts";
import { encodePasskey } from "./passkeys.ts";
import { encodeSession } from "./sessions.ts";

/* All that the API says of an account besides its pictures, for the person's export. Secrets are in none of it. */

type Page = { readonly limit: number; readonly beforePk: number | undefined };

const PAGE = 100;

/** Long members are read while they are written. */
export function accountDocument(rooms: ApiRooms, account: Account): Readonly<Record<string, unknown>> {
	const { people, apps, connect, billing, clock } = rooms;
	const sessionsOf = (what: "sessions" | "tokens") =>
		walk((page) => people.sessions.list(account.pk, what, page, clock.now()));
	const plans = () => walk((page) => billing.ownPlans.list(account.pk, page));
	return {
		account: encodeAccount(account),
		addresses: addressesOf(rooms, account),
		sessions: mapped(sessionsOf("sessions"), (session) => encodeSession(session, false)),
		tokens: mapped(sessionsOf("tokens"), encodeToken),
		passkeys: mapped(
			walk((page) => people.passkeys.list(account.pk, page)),
			encodePasskey,
		),
		connections: mapped(
			walk((page) => listConnections(connect, account, page)),
			encodeConnection,
		),
		plans: mapped(plans(), (plan) => encodeOwnPlan(rooms, plan)),
		invoices: (async function* () {
			for await (const { pk } of plans()) {
				const invoices = walk((page) => billing.ownPlans.listInvoices(pk, page));
				yield* mapped(invoices, (invoice) => encodeInvoice(rooms, invoice));
			}
		})(),
		activity: mapped(
			walk((page) => listActivity(apps, account, undefined, page)),
			encodeAudit,
		),
	};
}

/** The address that the account has, and those that it had before, for as long as they are kept. */
async function* addressesOf({ people }: ApiRooms, { pk, email, verified }: Account) {
	yield { email, verified, current: true };
	for (const { oldEmail, createdMs } of await people.addressChanges.list(pk)) {
		yield { email: oldEmail, current: false, until: isoDate(createdMs) };
	}
}

/** All pages of a list. */
async function* walk<Row extends { readonly pk: number }>(find: (page: Page) => Promise<readonly Row[]>) {
	let beforePk: number | undefined;
	for (;;) {
		const rows = await find({ limit: PAGE, beforePk });
		yield* rows;
		beforePk = rows.at(-1)?.pk;
		if (beforePk === undefined) return;
	}
}
