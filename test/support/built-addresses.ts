import { PARAMETERS } from "@svc/sdk/transform-parameters";
import type { Shown } from "./browser.ts";

/* What the address builder of the console shows, and states of it. */

type State = Readonly<Record<string, string>>;

interface Entry {
	readonly kind: string;
	readonly values?: readonly (string | number | true)[];
	readonly min?: number;
	readonly max?: number;
	readonly words?: readonly string[];
}

/** What a page has to copy, by the name of its form. */
export function formsOn({ html }: Shown): Readonly<Record<string, string>> {
	const found = [...html.matchAll(/<code id="as-(\w+)">([^<]*)<\/code>/g)];
	return Object.fromEntries(found.map(([, name = "", text = ""]) => [name, unescaped(text)]));
}

/** The picture of a page, as it is shown. */
export function shownOn({ html }: Shown) {
	const [, tag = ""] = /<figure[^>]*id="picture"[^>]*><img ([^>]*)>/.exec(html) ?? [];
	const attribute = (name: string) => {
		const value = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(tag)?.[1];
		return value === undefined ? undefined : unescaped(value);
	};
	return { src: attribute("src"), width: attribute("width"), height: attribute("height") };
}

/** Every entry of every `srcset`, and every `src`, of elements as text. */
export function srcsetOf(elements: string) {
	const sets = [...elements.matchAll(/srcset="([^"]*)"/g)].flatMap(([, set = ""]) => unescaped(set).split(", "));
	return sets.map((entry) => {
		const [url = "", descriptor = ""] = entry.split(" ");
		const number = Number.parseFloat(descriptor);
		return {
			url,
			pixels: descriptor.endsWith("w") ? number : undefined,
			density: descriptor.endsWith("x") ? number : undefined,
		};
	});
}

function unescaped(text: string): string {
	return text
		.replaceAll("&lt;", "<")
		.replaceAll("&gt;", ">")
		.replaceAll("&quot;", '"')
		.replaceAll("&#x27;", "'")
		.replaceAll("&amp;", "&");
}

/** Values of a parameter: the edges of its range, its words, something of each kind. @param over another image of the storage */
function valuesOf({ kind, values, min, max, words = [] }: Entry, over: string): readonly string[] {
	if (values) return values.map(String);
	if (min !== undefined && max !== undefined) return [String(min), String(max), ...words];
	const written: Readonly<Record<string, readonly string[]>> = {
		point: ["0,0", "1,1", "0.25,0.4"],
		piece: ["0,0,1,1", "100,50,200,100", "340,230,500,500"],
		colour: ["#ff8800", "rgb(0,128,128)", "transparent"],
		image: [over],
		name: ["a holiday, 100%"],
	};
	return [...words, ...(written[kind] ?? [])];
}

/** As many states, each of a few parameters: all of the table at least once, at their edges; the same each time. */
export function drawnStates(count: number, over: string): readonly State[] {
	const random = seeded(40);
	const table = Object.entries<Entry>(PARAMETERS);
	const pick = <One>(of: readonly One[]) => of[Math.floor(random() * of.length)] as One;
	return Array.from({ length: count }, (_, place) => {
		const names = [table[place % table.length], pick(table), pick(table)].filter((one) => one !== undefined);
		return Object.fromEntries(
			names.filter(([name], at) => at === 0 || name !== "info").map(([name, of]) => [name, pick(valuesOf(of, over))]),
		);
	});
}

/** Numbers from 0 to 1. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
		return state / 2 ** 32;
	};
}
