/** One end of an accepted connection: the other side's address and port. */
export interface OpenSocket {
	/** The number of its descriptor, or of ours where the runtime hides that. */
	readonly id: number;
	readonly address: string;
	readonly port: number;
}

export interface Sockets {
	/** Every open connection that came in at one of these ports. */
	accepted(ports: readonly number[]): OpenSocket[];
	/** Whether bytes of an answer wait to be sent on it. */
	isSending(id: number): boolean;
	/** Ends a connection; the server then notices that it has ended. */
	cut(id: number): void;
}
