import { hashSecret, isSecret } from "@svc/base/crypto/secrets";
import { Failure } from "@svc/base/failure";
import type { Person } from "./people.ts";
import type { People } from "./room.ts";

/** Who is signed in in a browser, for a call of the API that a page makes for them. */
export class PageVisitor {
	/** The secret of the browser's session. */
	readonly #secret: string;
	/** Of the page's own request: the call is the same one in the log and in the audit. */
	readonly requestId: string;

	constructor(secret: string, requestId: string) {
		this.#secret = secret;
		this.requestId = requestId;
	}

	/** Tells sessions apart where something is kept by the caller. */
	get name(): string {
		return this.#secret;
	}

	/** Undefined for a session that has ended, and for an account that may not sign in any more. */
	find(room: People): Promise<Person | undefined> {
		return findVisitor(room, this.#secret);
	}
}

/** Beside the requests, never in them: whatever a request holds may have come from outside. */
const visitors = new WeakMap<Request, PageVisitor>();

/**
 * Lets a page call the API, in this process, as who is signed in there. The API gives no answer of it to anybody else: whoever calls this
 * makes sure that the visitor asked for it, by a form of ours where the call changes something.
 */
export function actFor(call: Request, visitor: PageVisitor | undefined): void {
	if (visitor) visitors.set(call, visitor);
}

/** Undefined for every request that came from outside. */
export function visitorOf(call: Request): PageVisitor | undefined {
	return visitors.get(call);
}

/**
 * The person behind a bearer, or whom a page calls for. The secret of a browser's session is no bearer: it was given to pages, which a
 * stolen cookie must not leave.
 * @throws Failure unauthorized for one that is unknown, revoked, expired, or of an account that may not sign in any more
 */
export async function identifyPerson(room: People, proof: string | PageVisitor): Promise<Person> {
	const person = proof instanceof PageVisitor ? await proof.find(room) : await findBearer(room, proof);
	if (!person) throw signIn();
	return person;
}

async function findBearer(room: People, secret: string): Promise<Person | undefined> {
	const person = await findPerson(room, secret);
	return person && person.session.kind !== "web" ? used(room, person) : undefined;
}

/** The person who is signed in in a browser; a console's session or a token does not stand for one. */
export async function findVisitor(room: People, secret: string): Promise<Person | undefined> {
	if (!secret.startsWith("svc_ses_") || !isSecret(secret)) return undefined;
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
