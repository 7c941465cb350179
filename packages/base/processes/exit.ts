/** The exit codes that a script may rely on; printed by `svc --help`. */
export const EXIT = {
	ok: 0,
	failed: 1,
	usage: 2,
	partly: 3,
	auth: 4,
	missing: 5,
	conflict: 6,
	later: 7,
	bug: 70,
	interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something on this machine is not as it must be. `next` is what to do about it. */
export class LocalError extends Error {
	override readonly name: string = "LocalError";
	readonly next: string | undefined;
	readonly exit: ExitCode;

	constructor(message: string, next?: string, exit: ExitCode = EXIT.failed) {
		super(message);
		this.next = next;
		this.exit = exit;
	}
}

/** The command line itself is wrong; nothing was sent. */
export class UsageError extends LocalError {
	override readonly name = "UsageError";

	constructor(message: string, next?: string) {
		super(message, next, EXIT.usage);
	}
}

/** The person pressed Ctrl-C. */
export class Interrupted extends LocalError {
	override readonly name = "Interrupted";

	/** @param where it stopped, as a sentence, and what to do to go on */
	constructor(where = "", next?: string) {
		super(`Interrupted.${where && ` ${where}`}`, next, EXIT.interrupted);
	}
}
