import { parseManner, parseTransform } from "@svc/images/transform/transform";

/** Whether the transform host makes something of every parameter of an address: it ignores in silence what it does not understand. */
export function understood(address: string): boolean {
	const { searchParams } = new URL(address);
	const sent = [...searchParams.keys()];
	const { isAuto, download, tells } = parseManner(searchParams);
	const apart = [...(isAuto ? ["format"] : []), ...(download === undefined ? [] : ["dl"]), ...(tells ? ["info"] : [])];
	const read = [...Object.keys(parseTransform(searchParams)), ...apart];
	return new Set(sent).size === sent.length && sent.every((name) => read.includes(name));
}
