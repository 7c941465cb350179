import type { Client } from "@svc/sdk/client";
import type { Clients } from "../options.ts";
import type { Effect } from "../state/model.ts";
import type { Thing } from "../state/things.ts";

/* What all loaders of lists work with. */

type Load = Extract<Effect, { type: "load" }>;

export interface Page {
	readonly things: readonly Thing[];
	readonly nextCursor: string | undefined;
	readonly after?: string | undefined;
	readonly selected?: Thing | undefined;
	/** Of plans: whether their App may sell them; undefined where that is not known. */
	readonly sells?: boolean | undefined;
}

/** A step that the person has to take first, in words. */
export class NotNow extends Error {
	override readonly name = "NotNow";
}

export interface Asked extends Load, Clients {
	readonly signal: AbortSignal;
}

const PAGE = 100;

/** How a page is asked for. */
export function optionsOf({ cursor, signal }: Asked) {
	return { limit: PAGE, signal, cursor };
}

/** @throws NotNow */
export function appOf(asked: Asked) {
	return asked.management.apps.of(appIdOf(asked));
}

/** For what an App's backend calls. @throws NotNow */
export function clientOf(asked: Asked): Client {
	return asked.clientOf(appIdOf(asked));
}

function appIdOf({ app }: Asked): string {
	if (app === undefined) throw new NotNow("No App is chosen. Press 2 for the Apps, and Enter on one of them.");
	return app;
}
