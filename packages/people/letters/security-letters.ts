import type { LetterDeed } from "@svc/base/enumerations";
import { Failure } from "@svc/base/failure";
import { type MailFacts, type NewMail, newMail, sealedMail } from "@svc/mail/mail";
import { linkToken, newRef, readLink } from "../letter-links.ts";
import type { Person } from "../people.ts";
import type { People } from "../room.ts";
import type { Addressee, LetterFacts, NewLetter, Origin, SentLetter } from "./security-letter.ts";

/*
 * Letters that tell a person what was done in their name, with a link by which they take it back without signing in. A letter is written in
 * the commit of the deed: none is lost, and none tells what did not happen.
 */

const LETTER_DAYS = 7;
const LETTER_MS = LETTER_DAYS * 86_400_000;

export interface DeedFacts extends LetterFacts {
	readonly deed: Exclude<LetterDeed, "many">;
	/** Public id of what came to be by it. */
	readonly subject: string;
	readonly origin: Origin;
}

/** The part of a room that letters are written with. */
type Desk = Pick<People, "addresses" | "proofs" | "keyring">;

export async function newLetter(desk: Desk, to: Addressee, about: DeedFacts, nowMs: number): Promise<NewLetter> {
	const { deed, subject, origin, ...facts } = about;
	const [ref, summaryRef] = [newRef(), newRef()];
	const { name, app, who } = facts;
	const said = { at: new Date(nowMs).toISOString(), days: LETTER_DAYS };
	const from = { device: origin.device ?? "", network: origin.network ?? "" };
	const own = { ...said, ...from, deed, name: name ?? "", app: app ?? "", who: who ?? "" };
	const many = { ...said, device: "", network: "", deed: "many" as const, name: "", app: "", who: "" };
	return {
		ref,
		to,
		deed,
		subject,
		facts: { ...facts, ...origin },
		untilMs: nowMs + LETTER_MS,
		mail: letterMail(desk, to, { ...own, link: await notMeLink(desk, ref) }),
		summary: {
			ref: summaryRef,
			mail: letterMail(desk, to, { ...many, link: await notMeLink(desk, summaryRef) }),
		},
	};
}

function letterMail(
	{ keyring }: Desk,
	{ email }: Addressee,
	facts: MailFacts["security_letter"],
): NewMail<"security_letter"> {
	return sealedMail(keyring, newMail("security_letter", email, facts));
}

async function notMeLink(desk: Desk, ref: string): Promise<string> {
	return `${desk.addresses.web}/account/not-me/${await linkToken(desk.proofs.current(), "not_me", ref)}`;
}

/** Where somebody acts from: a token is named, since nobody knows what device it is on. */
export function originOf({ session }: Person): Origin {
	return { device: session.device ?? session.name, network: session.network };
}

/** @throws Failure not_found for a link that the service did not write, or whose time is over */
export async function findLetter(room: People, token: string): Promise<SentLetter> {
	const ref = await readLink(room.proofs, "not_me", token);
	const letter = ref === undefined ? undefined : await room.letters.find(ref, room.clock.now());
	if (!letter) throw new Failure("not_found");
	return letter;
}
