import type { ShownNoun } from "@svc/nouns/noun";
import type { Thing } from "../state/things.ts";

/** What a screen shows, for a caller that does not know the kind of the thing. */
export type Screen = ShownNoun<Thing>;

/** A thing of another kind has no text. */
export function screenOf<T extends Thing>(object: T["object"], { shown }: { readonly shown: ShownNoun<T> }): Screen {
	const isMine = (thing: Thing): thing is T => thing.object === object;
	return {
		...shown,
		cells: (thing, nowMs) => (isMine(thing) ? shown.cells(thing, nowMs) : []),
		sections: (thing, nowMs) => (isMine(thing) ? shown.sections(thing, nowMs) : []),
	};
}
