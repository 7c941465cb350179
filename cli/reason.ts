/** Runtimes wrap the reason of a failed connection, some of them twice. */
export function reasonOf(error: unknown): string {
	const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
	const own = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
	// Where several addresses were tried, only the code says how it went.
	const text = message.includes(own) ? message : `${message} (${own})`.trim();
	return cause === undefined ? text : `${text}: ${reasonOf(cause)}`;
}
