/** What the whole service holds. */
export interface ServiceTotals {
	readonly apps: { readonly active: number; readonly paused: number; readonly blocked: number };
	readonly accounts: { readonly active: number; readonly disabled: number; readonly deleting: number };
	/** Connected users over all Apps: one person in two Apps is two. */
	readonly users: number;
	readonly images: number;
	readonly bytes: number;
	readonly uploadsThisMonth: number;
	readonly moderation: {
		readonly locked: number;
		readonly blocked: number;
		readonly nsfw: number;
		readonly openReports: number;
	};
}

/** Work that waits, and work that was given up. */
export interface QueueDepths {
	readonly jobsQueued: number;
	readonly jobsRunning: number;
	readonly jobsFailed: number;
	readonly mailsWaiting: number;
	/** Blobs that wait to be removed for good. */
	readonly trash: number;
}
