import { hashSecret, mintSecret } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import type { Person } from "./people.ts";
import type { People } from "./room.ts";

/**
 * The person behind a bearer. The secret of a browser's session is none: it was given to pages, which a stolen cookie must not leave.
 * @throws Failure unauthorized for a secret that is unknown, revoked, expired, or of an account that may not sign in any more
 */
export async function identifyPerson(room: People, secret: string): Promise<Person> {
	const lent = room.lent.get(secret);
	const person = await findPerson(room, lent ?? secret);
	if (!person || (person.session.kind === "web") !== (lent !== undefined)) throw signIn();
	return used(room, person);
}

/**
 * Lets a page call the API as who is signed in there: a bearer that lives as long as `work` and works in this process alone. Whoever calls this
 * makes sure that the visitor asked for it, and that the call changes nothing.
 * @param secret of the browser's session
 */
export async function lendBearer<Done>(
	room: People,
	secret: string,
	work: (bearer: string) => Promise<Done>,
): Promise<Done> {
	const bearer = await mintSecret("svc_ses_");
	room.lent.set(bearer.secret, secret);
	try {
		return await work(bearer.secret);
	} finally {
		room.lent.delete(bearer.secret);
	}
}

/** The person who is signed in in a browser; a console's session or a token does not stand for one. */
export async function findVisitor(room: People, secret: string): Promise<Person | undefined> {
	const person = await findPerson(room, secret);
	return person?.session.kind === "web" ? used(room, person) : undefined;
}

async function findPerson(room: People, secret: string): Promise<Person | undefined> {
	return await room.store.findPerson(await hashSecret(secret), room.clock.now());
}

function used(room: People, person: Person): Person {
	room.store.touch(person.session.id, room.clock.now());
	return person;
}

function signIn(): Failure {
	const message =
		"Sign in: send a session (svc_ses_…) or a token (svc_pat_…) that is known, unexpired and not revoked.";
	return Failure.saying("unauthorized", message);
}
