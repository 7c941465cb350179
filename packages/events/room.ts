import type { Base } from "@svc/base/base";
import type { Database } from "@svc/base/database/client";
import { eventStore } from "./events-store.ts";
import { eventWatch } from "./watch.ts";

export type Events = ReturnType<typeof openEvents>;

export function openEvents({ clock, log }: Pick<Base, "clock" | "log">, database: Database) {
	const store = eventStore(database);
	return { clock, store, watch: eventWatch(store, log) };
}
