/** A change of address that can still be taken back. */
export interface AddressChange {
	readonly ref: string;
	readonly accountPk: number;
	readonly oldEmail: string;
	readonly newEmail: string;
	readonly createdMs: number;
	/** Until when it can be taken back. */
	readonly untilMs: number;
	/** When it was taken back, or one before it was. */
	readonly undoneMs: number | null;
}
