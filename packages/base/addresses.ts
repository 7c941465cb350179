/** The three origins that a deployment is reached at; no trailing slashes. */
export interface Addresses {
	/** REST. */
	readonly base: string;
	/** Hosted pages. */
	readonly web: string;
	/** Transform host. */
	readonly cdn: string;
}
