/** One address at which requests come in. */
export interface Listener {
	/** The port that was really bound. */
	readonly port: number;
	/** How many requests are being answered; one whose answer is still being sent counts. */
	readonly pending: number;
	/** The other side of a request that `fetch` is still working on. */
	peerOf(request: Request): { readonly address: string; readonly port: number } | undefined;
	/** Takes no new connections. Resolves when the open ones have ended, which `cut` does at once. */
	stop(cut?: boolean): Promise<void>;
}

export interface ListenerOptions {
	readonly hostname: string;
	/** 0 for any that is free. */
	readonly port: number;
	/** An idle connection is ended after so long. */
	readonly idleSeconds: number;
	/** Of a request's line and its headers; more is refused without `fetch`. */
	readonly headMaxBytes: number;
	/** `peer` says nothing once the connection is gone. */
	fetch(request: Request, peer: () => string | undefined): Response | Promise<Response>;
	/** The answer where `fetch` has thrown. */
	failed(cause: unknown): Response;
	/** The answer to what is no request that `fetch` could be given. */
	refused(status: RefusedStatus): Response;
}

/** Bad syntax; a request that did not come in time; a Host that is none; a method, headers or a version that nobody takes. */
export type RefusedStatus = 400 | 405 | 408 | 413 | 417 | 421 | 431 | 505;
