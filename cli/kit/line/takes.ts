/* What a command takes, one line each: what it is for, and how help and completion write it. */

/** A word that has to be there, as `<id>`. */
export function word(description: string, valueHint?: string) {
	return { type: "positional", required: true, description, ...(valueHint !== undefined && { valueHint }) } as const;
}

/** The id of one thing, as a word that has to be there. */
export function id(description: string) {
	return word(description, "id");
}

/** A flag with a value, as `--name <text>`. */
export function text(description: string, valueHint: string) {
	return { type: "string", description, valueHint } as const;
}

/** A flag with one of some values. */
export function choice(description: string, values: readonly string[]) {
	return text(description, values.join("|"));
}

/** A flag that is there or is not. */
export function flag(description: string) {
	return { type: "boolean", description } as const;
}

/** Any number of ids, at least one. */
export function ids(description: string) {
	return { name: "id", description, required: true, valueHint: "id" } as const;
}

/** A flag with a value that has to be there. */
export function demanded(description: string, valueHint: string) {
	return { ...text(description, valueHint), required: true } as const;
}
