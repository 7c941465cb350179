/**
 * Why a finder gave no answer: `busy` and it was not even tried, `slow` and it was ended, `broken` as its process died or could not
 * start, `failed` as its program threw, `unavailable` as something is not installed, `closed` by its owner.
 */
export type FinderTrouble = "busy" | "slow" | "broken" | "failed" | "unavailable" | "closed";

/** A picture without a face or a subject is an answer; this is the lack of one. The message is for the log. */
export class FinderFailure extends Error {
	override readonly name = "FinderFailure";
	readonly trouble: FinderTrouble;

	constructor(trouble: FinderTrouble, message: string, options?: ErrorOptions) {
		super(message, options);
		this.trouble = trouble;
	}
}
