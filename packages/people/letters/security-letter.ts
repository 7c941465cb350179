import type { LetterDeed } from "@svc/base/enumerations";
import type { NewMail } from "@svc/mail/mail";

/** Whoever a letter goes to. */
export interface Addressee {
	readonly pk: number;
	readonly email: string;
}

/** A letter, and the one that stands for it where the person has had as many as they get in an hour. */
export interface NewLetter {
	readonly ref: string;
	readonly to: Addressee;
	readonly deed: LetterDeed;
	readonly subject: string;
	readonly facts: LetterFacts & Origin;
	readonly untilMs: number;
	readonly mail: NewMail<"security_letter">;
	readonly summary: { readonly ref: string; readonly mail: NewMail<"security_letter"> };
}

/** A letter that was sent. */
export interface SentLetter {
	readonly ref: string;
	readonly accountPk: number;
	readonly accountId: string;
	readonly deed: LetterDeed;
	readonly subject: string;
	readonly facts: LetterFacts & Origin;
	readonly usedMs: number | null;
	readonly createdMs: number;
}

/** What a letter says, and what taking the deed back needs. */
export interface LetterFacts {
	/** Name of a token or a key; of an address, the old one. */
	readonly name?: string | undefined;
	/** Name of the App. */
	readonly app?: string | undefined;
	/** Another person, by their address: masked, but for people of one team, who know it. */
	readonly who?: string | undefined;
	/** Of a transfer: account ids of the former and the new Owner, and the role that the new one had. */
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly role?: string | undefined;
}

/** Where the deed was done from. */
export interface Origin {
	readonly device?: string | null | undefined;
	readonly network?: string | null | undefined;
}
