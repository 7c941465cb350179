import type { AuditEntry } from "@svc/sdk/shapes";
import type { Asked } from "./asked.ts";

/* What people call the things that the service names by their ids: asked of lists, and kept for a while. */

interface Named {
	readonly id: string;
	readonly name: string;
}

type Ask = (asked: Asked) => Promise<readonly Named[]>;
type Pages<Item> = (options: { limit: number; signal: AbortSignal }) => Promise<{ readonly data: readonly Item[] }>;

const PAGE = 100;
const KEPT_MS = 60_000;

const all = <Item extends { readonly id: string }>(
	list: Pages<Item> | undefined,
	nameOf: (item: Item) => string,
	{ signal }: Asked,
): Promise<readonly Named[]> =>
	list?.({ limit: PAGE, signal }).then(
		({ data }) => data.map((item) => ({ id: item.id, name: nameOf(item) })),
		// What this person may not list stays named by its id.
		() => [],
	) ?? Promise.resolve([]);

const named = ({ name }: Named) => name;
const mail = ({ email }: { readonly email: string }) => email;

/** Of each beginning of an id, the lists that hold its name. */
const LISTS: Readonly<Record<string, Ask>> = {
	acc: async (asked) => {
		const { management, operator, app } = asked;
		const lists = [
			management.me.get({ signal: asked.signal }).then(
				({ id, email }) => [{ id, name: email }],
				() => [],
			),
			all(app === undefined ? undefined : management.apps.of(app).members.list, mail, asked),
			...(operator ? [management.operator.operators.list, management.operator.accounts.list] : []).map((list) =>
				all(list, mail, asked),
			),
		];
		return (await Promise.all(lists)).flat();
	},
	key: (asked) => all(ofApp(asked)?.keys.list, ({ name }) => `key ${name}`, asked),
	usr: (asked) => all(ofApp(asked)?.users.list, mail, asked),
	pln: (asked) => all(ofApp(asked)?.plans.list, named, asked),
	whe: (asked) => all(ofApp(asked)?.webhooks.list, ({ url }) => url, asked),
	pre: (asked) => all(ofApp(asked)?.presets.list, named, asked),
	sgk: (asked) => all(ofApp(asked)?.signingKeys.list, named, asked),
	app: (asked) => {
		const { management, operator } = asked;
		return all<Named>(operator ? management.operator.apps.list : management.apps.list, named, asked);
	},
};

function ofApp({ management, app }: Asked) {
	return app === undefined ? undefined : management.apps.of(app);
}

interface Kept {
	readonly atMs: number;
	readonly names: Promise<readonly Named[]>;
}

const kept = new WeakMap<Asked["management"], Map<string, Kept>>();

/** The names of those ids that have one, as far as this person may list them. Lists that hold none of the ids are not asked for. */
export async function namesOf(asked: Asked, ids: Iterable<string | null>): Promise<ReadonlyMap<string, string>> {
	const kinds = new Set(Array.from(ids, (id) => id?.split("_")[0] ?? ""));
	const known = await Promise.all([...kinds].map((kind) => kindOf(asked, kind)));
	return new Map(known.flat().map(({ id, name }) => [id, name]));
}

function kindOf(asked: Asked, kind: string): Promise<readonly Named[]> {
	const ask = Object.hasOwn(LISTS, kind) ? LISTS[kind] : undefined;
	if (ask === undefined) return Promise.resolve([]);
	const mine = kept.get(asked.management) ?? new Map<string, Kept>();
	kept.set(asked.management, mine);
	const place = `${kind} ${asked.app}`;
	const before = mine.get(place);
	if (before !== undefined && Date.now() - before.atMs < KEPT_MS) return before.names;
	const names = ask(asked);
	mine.set(place, { atMs: Date.now(), names });
	return names;
}

/** With the names of who did it and of what it was about. */
export async function namedEntries(asked: Asked, entries: readonly AuditEntry[]) {
	const names = await namesOf(
		asked,
		entries.flatMap(({ actor, target }) => [actor, target]),
	);
	return entries.map((entry) => ({
		...entry,
		actor_name: names.get(entry.actor),
		target_name: names.get(entry.target ?? ""),
	}));
}
