/** Null makes a flag without a value; undefined leaves the parameter out. */
export type QueryValue = string | number | boolean | null | undefined;
export type Query = Readonly<Record<string, QueryValue>>;

/** With its question mark, in the order given; empty when nothing is asked. */
export function encodeQuery(query: Query): string {
	const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
	return pairs.length === 0 ? "" : `?${pairs.map(encodePair).join("&")}`;
}

function encodePair([name, value]: readonly [string, QueryValue]): string {
	const encodedName = encodeURIComponent(name);
	return value === null ? encodedName : `${encodedName}=${encodeURIComponent(String(value))}`;
}
