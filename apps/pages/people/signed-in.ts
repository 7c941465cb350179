import type { Person } from "@svc/people/people";
import { findVisitor } from "@svc/people/visitors";
import type { PagesRooms } from "../kit/rooms.ts";
import type { Visit } from "../kit/visit.ts";

/** The person who is signed in in this browser; the session stands for a browser, never for a console or a token. */
export async function findSignedIn(rooms: PagesRooms, { cookies }: Visit): Promise<Person | undefined> {
	const secret = cookies.read("session");
	return secret === null ? undefined : await findVisitor(rooms.people, secret);
}
