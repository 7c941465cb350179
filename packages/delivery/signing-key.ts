/** With what an App signs addresses of its images. Its secret is no part of it: it was shown once. */
export interface SigningKey {
	readonly pk: number;
	readonly id: string;
	readonly name: string;
	readonly last4: string;
	readonly createdMs: number;
}
