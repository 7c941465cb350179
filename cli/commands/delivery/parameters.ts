import { UsageError } from "@svc/base/processes/exit";

/** `name=value` each, as in an address but not encoded. @throws UsageError */
export function readParameters(words: readonly string[]): Readonly<Record<string, string>> {
	const parameters = new Map<string, string>();
	for (const word of words) {
		const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
		if (name === undefined || value === undefined) throw new UsageError(`A parameter is name=value; not "${word}".`);
		if (parameters.has(name)) throw new UsageError(`${name} is given twice.`);
		parameters.set(name, value);
	}
	return Object.fromEntries(parameters);
}
