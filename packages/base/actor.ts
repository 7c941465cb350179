/** The actor of a change, for the audit. */
export interface Actor {
	/** Public id of a key or an account, or the name of a job. */
	readonly actor: string;
	readonly requestId: string | null;
	readonly nowMs: number;
	/** Id of the session of a person, which must be fresh for some changes; left out for a token, a key and a job. */
	readonly session?: string | undefined;
}
