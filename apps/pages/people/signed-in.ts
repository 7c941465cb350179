import { isSecret } from "@svc/base/crypto/secrets";
import type { Person } from "@svc/people/people";
import { findVisitor } from "@svc/people/visitors";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Visit } from "../kit/visit.ts";

/** The person who is signed in in this browser; the session stands for a browser, never for a console or a token. */
export async function findSignedIn(rooms: PagesRooms, { cookies }: Visit): Promise<Person | undefined> {
	const secret = cookies.read("session");
	if (secret === null || !secret.startsWith("svc_ses_") || !isSecret(secret)) return undefined;
	return await findVisitor(rooms.people, secret);
}
