import { listExports } from "@svc/exports/exports";
import type { DoneDeed } from "../console/kit/visit.ts";
import type { Text } from "../kit/text.ts";
import type { AccountCall } from "./account/account-call.ts";
import { t } from "./messages.ts";

/** What has just been done, for the page after it to say. */
export type Done =
	| {
			readonly done:
				| "disconnected"
				| "key_revoked"
				| "own_key_revoked"
				| "session_ended"
				| "token_revoked"
				| "export_started"
				| "passkey_added"
				| "passkey_removed";
	  }
	| { readonly done: "address_changed"; readonly email: string }
	| ({ readonly done: "console" } & DoneDeed)
	| { readonly done: "others_ended"; readonly sessions: number; readonly tokens: number };

/**
 * Leaves a notice for the next page of this session. It is kept with the session rather than in the address, so that no link can make a
 * page say what did not happen, and is shown once.
 */
export async function leaveNotice({ rooms, person }: Pick<AccountCall, "rooms" | "person">, done: Done): Promise<void> {
	await rooms.people.sessions.leaveNotice(person.session.id, JSON.stringify(done));
}

/** The notice that is waiting, which no page shows again. */
export async function takeNotice(call: AccountCall): Promise<Text | undefined> {
	const done = await takeLeft(call, (left) => left.done !== "console");
	return done?.done === "export_started" ? await exportText(call) : done && textOf(done);
}

/** The same of the console. */
export async function takeDone(call: AccountCall): Promise<Extract<Done, { done: "console" }> | undefined> {
	const done = await takeLeft(call, (left) => left.done === "console");
	return done?.done === "console" ? done : undefined;
}

async function takeLeft({ rooms, person, visit }: AccountCall, is: (left: Done) => boolean): Promise<Done | undefined> {
	const { id, notice } = person.session;
	if (notice === null || visit.request.method === "HEAD") return undefined;
	// Written by leaveNotice alone.
	const done = JSON.parse(notice) as Done;
	return is(done) && (await rooms.people.sessions.takeNotice(id, notice)) ? done : undefined;
}

/** A small copy is made before the page that says so is there. */
async function exportText({ rooms, person }: AccountCall): Promise<Text | undefined> {
	const [newest] = await listExports(rooms.exports, person.account, { limit: 1 });
	if (newest?.state === "done") return t("done.export_ready");
	return newest?.endedMs === null ? t("done.export_started") : undefined;
}

function textOf(done: Done): Text | undefined {
	switch (done.done) {
		case "disconnected":
		case "key_revoked":
		case "own_key_revoked":
		case "session_ended":
		case "token_revoked":
		case "passkey_added":
		case "passkey_removed":
			return t(`done.${done.done}`);
		case "address_changed":
			return t("done.address_changed", { email: done.email });
		case "others_ended":
			return endedText(done);
		default:
			// Left by another release.
			return undefined;
	}
}

function endedText({ sessions, tokens }: { readonly sessions: number; readonly tokens: number }): Text {
	if (sessions > 0 && tokens > 0) return t("done.both", { sessions, tokens });
	if (sessions > 0) return t("done.sessions", { sessions });
	return tokens > 0 ? t("done.tokens", { tokens }) : t("done.nowhere");
}
