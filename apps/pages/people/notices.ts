import { count } from "../kit/parts.tsx";
import type { AccountCall } from "./account-call.ts";

/** What has just been done, for the page after it to say. */
export type Done =
	| { readonly done: "disconnected" | "key_revoked" | "own_key_revoked" | "session_ended" | "token_revoked" }
	| { readonly done: "address_changed"; readonly email: string }
	| { readonly done: "others_ended"; readonly sessions: number; readonly tokens: number };

/**
 * Leaves a notice for the next page of this session. It is kept with the session rather than in the address, so that no link can make a
 * page say what did not happen, and is shown once.
 */
export async function leaveNotice({ rooms, person }: AccountCall, done: Done): Promise<void> {
	await rooms.people.sessions.leaveNotice(person.session.id, JSON.stringify(done));
}

/** The notice that is waiting, which no page shows again. */
export async function takeNotice({ rooms, person, visit }: AccountCall): Promise<string | undefined> {
	const { id, notice } = person.session;
	if (notice === null || visit.request.method === "HEAD") return undefined;
	if (!(await rooms.people.sessions.takeNotice(id, notice))) return undefined;
	// Written by leaveNotice alone.
	return textOf(JSON.parse(notice) as Done);
}

function textOf(done: Done): string | undefined {
	switch (done.done) {
		case "disconnected":
			return "Disconnected. Your pictures there are being deleted.";
		case "key_revoked":
			return "The key is revoked: it no longer reads anything.";
		case "own_key_revoked":
			return "The key is revoked: it no longer reads or writes anything.";
		case "session_ended":
			return "That device is signed out.";
		case "token_revoked":
			return "The token is revoked: no program gets in with it any more.";
		case "address_changed":
			return `Your address is ${done.email} now. You are signed out everywhere else, and your tokens are revoked.`;
		case "others_ended":
			return endedText(done);
		default:
			// Left by another release.
			return undefined;
	}
}

function endedText({ sessions, tokens }: { readonly sessions: number; readonly tokens: number }): string {
	const ended = [
		...(sessions > 0 ? [`${count(sessions, "other sign-in")} ended`] : []),
		...(tokens > 0 ? [`${count(tokens, "token")} revoked`] : []),
	];
	if (ended.length === 0) return "You were signed in nowhere else.";
	return `You are signed out everywhere else: ${ended.join(", ")}.`;
}
