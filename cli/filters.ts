type Given<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Only those filters that were given. */
export function givenFilters<T extends Readonly<Record<string, string | undefined>>>(filters: T): Given<T> {
	return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Given<T>;
}
