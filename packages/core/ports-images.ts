/** What the first start, or a bootstrap, makes. Hashes only: the secrets themselves are shown once and never stored. */
export interface NewOperator {
	readonly accountId: string;
	readonly email: string;
	readonly token?: {
		readonly id: string;
		readonly name: string;
		readonly secretHash: Uint8Array;
		readonly scopes: string;
		readonly expiresMs: number;
	};
	readonly app?: {
		readonly id: string;
		readonly name: string;
		readonly storageId: string;
		readonly teamHash: string;
		readonly key: {
			readonly id: string;
			readonly name: string;
			readonly secretHash: Uint8Array;
			readonly prefix: string;
			readonly last4: string;
		};
	};
}

export interface SetupStore {
	/** True while there is no account at all. */
	isEmpty(): Promise<boolean>;
	/** One guarded commit; false, and nothing written, when any account exists already. */
	createOperator(operator: NewOperator, nowMs: number): Promise<boolean>;
}
